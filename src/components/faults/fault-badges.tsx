import type { FaultSummary } from '#src/reports/faults/read-faults.ts';

const newsWords = { new: 'new', regressed: 'regressed', woke: 'back from snooze' } as const;

/** Whether somebody should look at it, and whether it is handled. */
export function FaultBadges({ fault }: { fault: Pick<FaultSummary, 'state' | 'news' | 'level' | 'side'> }) {
  const { state, news, level, side } = fault;
  const isBad = level === 'error' || level === 'fatal';
  return (
    <>
      {news === null ? null : (
        <span className="badge" data-kind="error">
          {newsWords[news]}
        </span>
      )}
      <span className="badge" data-kind={state === 'open' ? 'document' : state === 'resolved' ? 'navigation' : 'other'}>
        {state}
      </span>
      <span className="badge" data-kind={isBad ? 'error' : 'other'}>
        {level}
      </span>
      {side === 'browser' ? (
        <span
          className="badge"
          data-kind="other"
          title="Nobody but browsers has reported it. Anyone can send such a report."
        >
          claims alone
        </span>
      ) : null}
    </>
  );
}
