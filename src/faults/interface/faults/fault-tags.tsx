import type { FaultSummary } from '#src/faults/grouping/read-faults.ts';

const unseenWords = { new: 'new', regressed: 'regressed', woke: 'snooze ended' } as const;
const unseenTitles = {
  new: 'It has not occurred before, and nobody has done anything with it',
  regressed: 'It was resolved, and occurred again',
  woke: 'It was snoozed, and what it was snoozed until has happened',
} as const;

/** Shows why somebody should look at a fault. */
export function UnseenBadge({ unseen }: Pick<FaultSummary, 'unseen'>) {
  if (unseen === null) return null;
  return (
    <span
      className="px-[0.45em] rounded-sm bg-accent text-on-accent text-[0.75rem] font-[650] whitespace-nowrap"
      data-unseen={unseen}
      title={unseenTitles[unseen]}
    >
      {unseenWords[unseen]}
    </span>
  );
}

/** What the operator made of it. */
export function StateTag({ state }: Pick<FaultSummary, 'state'>) {
  return <span className={`tag fault-state-${state}`}>{state}</span>;
}

/** An error is the usual: it says nothing. */
export function LevelTag({ level }: Pick<FaultSummary, 'level'>) {
  if (level === 'error') return null;
  return <span className={`tag${level === 'fatal' ? ' tag-bad' : ''}`}>{level}</span>;
}
