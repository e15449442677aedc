import { formatCount } from '#flight';
import type { FaultSummary } from '#src/faults/grouping/read-faults.ts';

/** A fault's number. Anybody can post a browser's error, so these stand beside it and are marked: src/faults/grouping/counted.ts. */
export function ErrorCount({ count, untrusted }: Pick<FaultSummary, 'count' | 'untrusted'>) {
  return (
    <>
      {count > 0 || untrusted === 0 ? (
        <>
          {formatCount(count)}
          {/* The head of the table says it on a wide screen. */}
          <span className="sm:hidden">{count === 1 ? ' event' : ' events'}</span>
        </>
      ) : null}
      {untrusted > 0 ? (
        <span className="text-quiet whitespace-nowrap" title="Reported by browsers: anybody can post such a report">
          {count > 0 ? ' + ' : ''}
          {formatCount(untrusted)} untrusted
        </span>
      ) : null}
    </>
  );
}
