'use client';

import './apps.css';

import { renameApp, type RenameState } from '#src/apps/actions/rename-app.ts';
import { useFormState } from '#src/runtime/actions/use-form-state.ts';

import { FormNotice } from './form-notice.tsx';

const notices = {
  idle: undefined,
  renamed: { text: 'Renamed.', isProblem: false },
  'not-a-name': { text: 'A name has one to 80 characters.', isProblem: true },
  gone: { text: 'This app is not there any more.', isProblem: true },
} as const;

export function RenameAppForm({ id, name }: { id: string; name: string }) {
  const { state, pending, form } = useFormState<RenameState>(renameApp, { status: 'idle' });
  return (
    <form action={form} className="stack-1.5">
      <input type="hidden" name="id" value={id} />
      <div className="app-form">
        <label>
          Name
          {/* After a change by somebody else the field has the new name. */}
          <input key={name} name="name" defaultValue={name} required maxLength={80} autoComplete="off" />
        </label>
        <button type="submit" aria-busy={pending || undefined}>
          Rename
        </button>
      </div>
      <FormNotice notice={notices[state.status]} />
    </form>
  );
}
