import { formatCount } from '#flight';
import type { FaultSummary } from '#src/reports/faults/read-faults.ts';

/** A fault's number. Anybody can post a browser's report, so these stand beside it and are marked: src/reports/faults/counted.ts. */
export function OccurrenceCount({ count, claims }: Pick<FaultSummary, 'count' | 'claims'>) {
  return (
    <>
      {count > 0 || claims === 0 ? (
        <>
          {formatCount(count)}
          {/* The head of the table says it on a wide screen. */}
          <span className="sm:hidden">{count === 1 ? ' event' : ' events'}</span>
        </>
      ) : null}
      {claims > 0 ? (
        <span className="fault-claims" title="Reported by browsers: anybody can post such a report">
          {count > 0 ? ' + ' : ''}
          {formatCount(claims)} {claims === 1 ? 'claim' : 'claims'}
        </span>
      ) : null}
    </>
  );
}
