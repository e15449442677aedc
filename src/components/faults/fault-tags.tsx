import '#src/components/flights/flights.css';
import './faults.css';

import type { FaultSummary } from '#src/reports/faults/read-faults.ts';

const newsWords = { new: 'new', regressed: 'regressed', woke: 'snooze ended' } as const;
const newsTitles = {
  new: 'It has not occurred before, and nobody has done anything with it',
  regressed: 'It was resolved, and occurred again',
  woke: 'It was snoozed, and what it was snoozed until has happened',
} as const;

/** Why somebody should look at a fault. */
export function NewsBadge({ news }: Pick<FaultSummary, 'news'>) {
  if (news === null) return null;
  return (
    <span className="fault-news" data-news-kind={news} title={newsTitles[news]}>
      {newsWords[news]}
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
