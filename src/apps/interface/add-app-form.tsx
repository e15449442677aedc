'use client';

import { addApp, type AddAppState } from '#src/apps/actions/add-app.ts';
import { useFormState } from '#src/runtime/actions/use-form-state.ts';

const problems = {
  name: 'A name has one to 80 characters, and at least one letter or digit from a to z or 0 to 9.',
  taken: 'There is an app whose name gives the same address. Choose another name.',
  'too-many': 'There are 100 apps. Delete one first.',
  'being-deleted': 'An app of this name is being deleted. Try again in a moment.',
} as const;

export function AddAppForm() {
  const { state, pending, form } = useFormState<AddAppState>(addApp, { status: 'idle' });
  const isRefused = state.status === 'refused';
  return (
    <form action={form} className="stack-1.5">
      <label htmlFor="app-name" className="block">
        Name
      </label>
      <div className="flex max-w-md flex-wrap gap-2">
        <input
          id="app-name"
          name="name"
          type="text"
          required
          maxLength={80}
          key={isRefused ? state.name : ''}
          defaultValue={isRefused ? state.name : ''}
          placeholder="My shop"
          autoComplete="off"
          aria-invalid={isRefused || undefined}
          aria-describedby={isRefused ? 'app-name-problem' : undefined}
          className="h-11 w-0 min-w-44 flex-1"
        />
        <button type="submit" className="button-primary h-11" aria-busy={pending || undefined}>
          Add
        </button>
      </div>
      {isRefused ? (
        <p id="app-name-problem" role="alert" className="font-medium text-error">
          {problems[state.reason]}
        </p>
      ) : null}
    </form>
  );
}
