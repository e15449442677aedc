import { countOf, formatBytes, formatCount } from '#flight';
import { flightOfRequestPath } from '#src/server/http/addresses.ts';
import { Link } from '#src/runtime/navigation/link.tsx';
import { Moment } from '#src/ui/moment.tsx';
import { TableHead } from '#viewer/table-head.tsx';

import type { ListedStorm } from '../for-operator/list-storms.ts';
import { otherTabs } from '../flight/storm.ts';
import { describeSaved } from './describe-saved.ts';

/** A storm of which nothing came for a minute is over. */
const overMs = 60_000;

function nameStorm({ tab, route, peak, last_at: lastAt }: ListedStorm, now: number): string {
  if (tab === otherTabs) return 'More tabs than are kept one by one';
  const asks = now - lastAt < overMs ? 'asks' : 'asked';
  return `One tab ${asks} up to ${countOf(peak, 'time')} a second, most often for ${route}`;
}

/** Of some answers it may not be known what was sent. */
function describeBytes({ sized, requests, bytes }: ListedStorm): string {
  if (sized === 0) return 'unknown';
  return sized < requests ? `at least ${formatBytes(bytes)}` : formatBytes(bytes);
}

function describeMonth({ month: { requests, bytes, price } }: ListedStorm): string {
  const sent = bytes === undefined ? 'bytes unknown' : formatBytes(bytes);
  const cost = price === undefined ? '' : `: ${formatCount(Math.round(price * 100) / 100)}`;
  return `${countOf(requests, 'request')}, ${sent}${cost}`;
}

function Storm({ storm, now }: { storm: ListedStorm; now: number }) {
  const { app, page, requests, first_at: firstAt, last_at: lastAt, request_id: requestId } = storm;
  return (
    <tr>
      <th scope="row" className="sm:w-[38%] [overflow-wrap:anywhere]">
        {nameStorm(storm, now)}
        <p className="font-normal text-quiet">
          {page === '' ? null : (
            <>
              On the page <span className="code">{page}</span>.{' '}
            </>
          )}
          {describeSaved(storm)}
        </p>
      </th>
      <td data-label="App">{app}</td>
      <td data-label="Requests">{formatCount(requests)}</td>
      <td data-label="Sent">{describeBytes(storm)}</td>
      <td data-label="A month of it">{describeMonth(storm)}</td>
      <td data-label="Since" className="whitespace-nowrap">
        <Moment time={firstAt} now={now} isDense />
      </td>
      <td data-label="Last" className="whitespace-nowrap">
        <Link to={flightOfRequestPath(requestId)}>
          <Moment time={lastAt} now={now} isDense />
        </Link>
      </td>
    </tr>
  );
}

/** One row for each tab and what it asks for most. On a narrow screen each folds. */
export function StormsTable({ storms, now }: { storms: readonly ListedStorm[]; now: number }) {
  return (
    <table className="fold" aria-label="Storms">
      <TableHead columns={['What', 'App', 'Requests', 'Sent', 'A month of it', 'Since', 'Last']} />
      <tbody>
        {storms.map((storm) => (
          <Storm key={[storm.app, storm.tab, storm.route].join(' ')} storm={storm} now={now} />
        ))}
      </tbody>
    </table>
  );
}
