import type { FaultSummary } from '#src/reports/faults/read-faults.ts';

import { LevelTag, NewsBadge, StateTag } from './fault-tags.tsx';

/** Whether somebody should look at it, and whether it is handled. */
export function FaultBadges({ fault }: { fault: Pick<FaultSummary, 'state' | 'news' | 'level' | 'side'> }) {
  const { state, news, level, side } = fault;
  return (
    <>
      <NewsBadge news={news} />
      <StateTag state={state} />
      <LevelTag level={level} />
      {side === 'browser' ? (
        <span className="tag" title="Nobody but browsers has reported it. Anyone can send such a report.">
          claims alone
        </span>
      ) : null}
    </>
  );
}
