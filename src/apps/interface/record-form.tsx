'use client';

import './apps.css';

import { setRecord, type RecordState } from '#src/apps/actions/set-record.ts';
import { useFormState } from '#src/runtime/actions/use-form-state.ts';

import { FormNotice } from './form-notice.tsx';

const notices = {
  idle: undefined,
  set: { text: 'Saved. It counts from the next flight on.', isProblem: false },
  'not-a-setting': { text: 'That is no setting. Nothing was changed.', isProblem: true },
  gone: { text: 'This app is not there any more.', isProblem: true },
} as const;

const choices = [
  ['all', 'every flight'],
  ['errors', 'flights that fail'],
  ['sample:0.1', 'a tenth of the documents with what follows from them, and what fails'],
  ['sample:0.01', 'a hundredth of the documents with what follows from them, and what fails'],
  ['off', 'nothing'],
] as const;

type RecordFormProps = {
  readonly id: string;
  /** Of this app; undefined where it has none of its own. */
  readonly record: string | undefined;
  /** What is kept without one, in words. */
  readonly standard: string;
};

export function RecordForm({ id, record, standard }: RecordFormProps) {
  const { state, pending, form } = useFormState<RecordState>(setRecord, { status: 'idle' });
  const isListed = record === undefined || choices.some(([value]) => value === record);
  return (
    <form action={form} className="stack-1.5">
      <input type="hidden" name="id" value={id} />
      <div className="app-form">
        <label>
          Record
          <select key={record ?? ''} name="record" defaultValue={record ?? ''} className="max-w-full">
            <option value="">{standard}</option>
            {choices.map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
            {isListed ? null : <option value={record}>{record}</option>}
          </select>
        </label>
        <button type="submit" aria-busy={pending || undefined}>
          Save
        </button>
      </div>
      <FormNotice notice={notices[state.status]} />
    </form>
  );
}
