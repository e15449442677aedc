import { formatBytes, formatCount, formatDuration } from '#flight';
import { flightsOfRoutePath } from '#src/http/addresses.ts';
import { KindBadge } from '#src/components/kind-badge.tsx';
import type { RouteTotals as Totals } from '#src/recorder/for-operator/summaries.ts';

import { Meter } from './meter.tsx';

const shown = 20;

/** What each route sent, the most bytes first. */
export function RouteTotals({ totals, app }: { totals: readonly Totals[]; app: string | undefined }) {
  const most = totals[0]?.bytes ?? 0;
  return (
    <>
      <table className="fold flight-table" aria-label="Totals by route">
        <thead>
          <tr>
            <th scope="col">Route</th>
            <th scope="col">Kind</th>
            <th scope="col">Flights</th>
            <th scope="col">Failed</th>
            <th scope="col">Bytes</th>
            <th scope="col">Half within</th>
            <th scope="col">95 % within</th>
          </tr>
        </thead>
        <tbody>
          {totals.slice(0, shown).map((total) => (
            <tr key={`${total.kind} ${total.route}`}>
              <th scope="row" className="sm:w-[34%]">
                <a href={flightsOfRoutePath(total.kind, total.route, app)} className="code font-medium">
                  {total.route}
                </a>
              </th>
              <td>
                <KindBadge kind={total.kind} />
              </td>
              <td data-label="Flights">{formatCount(total.flights)}</td>
              <td data-label="Failed">
                <span className={total.failures > 0 ? 'font-semibold text-error' : ''}>
                  {formatCount(total.failures)}
                </span>
              </td>
              <td data-label="Bytes">
                <span data-kind={total.kind} className="whitespace-nowrap">
                  {formatBytes(total.bytes)}
                  <Meter most={most} parts={[{ value: total.bytes }]} />
                </span>
              </td>
              <td data-label="Half within">{formatDuration(total.p50Ms)}</td>
              <td data-label="95 % within">{formatDuration(total.p95Ms)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="text-sm text-quiet">
        {totals.length > shown ? `The first ${shown} of ${totals.length}. ` : ''}These are the newest 10,000 entries of
        the list. All counted hits are included, but only the first hit of each count was timed.
      </p>
    </>
  );
}
