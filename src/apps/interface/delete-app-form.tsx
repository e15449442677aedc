'use client';

import './apps.css';

import { useFormState } from '#src/runtime/actions/use-form-state.ts';

import { FormNotice } from './form-notice.tsx';

/** What came of it. Where it was deleted, the visitor is on another page. */
export type DeleteAppState = { readonly status: 'idle' | 'wrong-name' };

const notices = {
  idle: undefined,
  'wrong-name': { text: 'Nothing was deleted: that is not the name of this app.', isProblem: true },
} as const;

type DeleteAppFormProps = {
  readonly id: string;
  readonly name: string;
  /** What will be gone, in words. */
  readonly stored: string;
  /** It deletes what other rooms keep of the app, too, so the page hands it in. */
  readonly onDelete: (previous: unknown, form: FormData) => Promise<DeleteAppState>;
};

/** Behind a fold, and the name has to be typed. */
export function DeleteAppForm({ id, name, stored, onDelete }: DeleteAppFormProps) {
  const { state, pending, form } = useFormState<DeleteAppState>(onDelete, { status: 'idle' });
  return (
    <div className="stack-2">
      <details>
        <summary>Delete this app</summary>
        <form action={form} className="stack-2 pt-2">
          <input type="hidden" name="id" value={id} />
          <p>
            Everything that was recorded of it is deleted: {stored}, what browsers reported, and its keys. Whatever
            still sends for it is refused. There is no way back.
          </p>
          <div className="app-form">
            <label>
              <span>
                Type its name, <strong>{name}</strong>
              </span>
              <input name="name" required autoComplete="off" spellCheck={false} />
            </label>
            <button type="submit" aria-busy={pending || undefined}>
              Delete it and its data
            </button>
          </div>
        </form>
      </details>
      <FormNotice notice={notices[state.status]} />
    </div>
  );
}
