import '#src/flights/interface/flights.css';
import './faults.css';

import type { FaultSummary } from '#src/faults/grouping/read-faults.ts';

import { LevelTag, UnseenBadge, StateTag } from './fault-tags.tsx';

/** Whether somebody should look at it, and whether it is handled. */
export function FaultBadges({ fault }: { fault: Pick<FaultSummary, 'state' | 'unseen' | 'level' | 'side'> }) {
  const { state, unseen, level, side } = fault;
  return (
    <>
      <UnseenBadge unseen={unseen} />
      <StateTag state={state} />
      <LevelTag level={level} />
      {side === 'browser' ? (
        <span className="tag" title="Nobody but browsers has reported it. Anyone can send such a report.">
          untrusted
        </span>
      ) : null}
    </>
  );
}
