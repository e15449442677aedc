import 'server-only';

import { undoActivities } from '#src/faults/actions/undo-activities.ts';
import { readTriageNotice, type TriageNotice as Notice } from '#src/faults/grouping/read-notice.ts';

function countFaults(count: number): string {
  return count === 1 ? '1 fault' : `${count} faults`;
}

function describeRefusal(reason: Extract<Notice, { type: 'refused' }>['reason']): string {
  switch (reason) {
    case 'nothing-chosen':
      return 'Nothing was chosen, so nothing was changed.';
    case 'only-one':
      return 'Choose at least two faults to merge. Nothing was changed.';
    case 'too-many':
      return 'At most 1,000 faults can be changed at once. Nothing was changed.';
    case 'malformed':
      return 'A number or a name was missing or out of range. Nothing was changed.';
    case 'gone':
      return 'One of them is not there any more, or has moved to another fault. Nothing was changed.';
    case 'different-apps':
      return 'Faults of two apps cannot become one. Nothing was changed.';
    case 'all-hashes':
      return 'A fault keeps at least one of its fingerprints. Nothing was changed.';
    case 'all-alike':
      return 'What is kept of it is all alike in that. Nothing was changed.';
    case 'still-joining':
      return 'Its errors are still being put together. Nothing was changed; try it again in a moment.';
    case 'changed-since':
      return 'It was changed again since, so it cannot be undone by itself. Nothing was changed.';
  }
}

function describeActivity({ activity, count }: Extract<Notice, { type: 'done' }>): string {
  switch (activity) {
    case 'resolved':
    case 'reopened':
    case 'snoozed':
    case 'muted':
      return `${countFaults(count)} ${activity}`;
    case 'merged':
      return `${countFaults(count)} merged into one`;
    case 'split':
      return 'Split into several faults';
    case 'noted':
      return `${countFaults(count)} marked as seen`;
    case 'first-seen':
    case 'regressed':
    case 'woke':
    case 'confirmed':
      return `${countFaults(count)} changed`;
  }
}

/** @param back the address of the page, to which undoing leads back */
function Done({ notice, back }: { notice: Extract<Notice, { type: 'done' }>; back: string }) {
  if (notice.isUndone) return <span>{describeActivity(notice)} · undone</span>;
  return (
    <form action={undoActivities} className="flex flex-wrap items-center gap-2">
      <input type="hidden" name="batch" value={notice.batch} />
      <input type="hidden" name="back" value={back} />
      <span>{describeActivity(notice)}</span>
      <button type="submit">Undo</button>
    </form>
  );
}

/**
 * What came of the last form of faults. Pages with such forms show it at their top.
 * @param done `?done=` of the page's query
 * @param back the address of the page with its query, as for the forms' field `back`
 */
export async function TriageNotice({ done, back }: { done: string | undefined; back: string }) {
  const notice = done === undefined ? undefined : await readTriageNotice(done);
  if (!notice) return null;
  return (
    <div role="status" className="panel px-4 py-2">
      {notice.type === 'done' ? <Done notice={notice} back={back} /> : null}
      {notice.type === 'unchanged' ? 'It was so already.' : null}
      {notice.type === 'refused' ? describeRefusal(notice.reason) : null}
    </div>
  );
}
