import { countOf, formatBytes, formatCount } from '#flight';
import { timeColumn } from '#src/ui/time-column.tsx';
import { Table, type Column } from '#viewer/table.tsx';

import type { ListedStorm } from '../for-operator/list-storms.ts';
import { otherTabs } from '../flight/storm.ts';
import { describeSaved } from './describe-saved.ts';
import { lastRequestColumn } from './last-request-column.tsx';

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

function listColumns(now: number): readonly Column<ListedStorm>[] {
  return [
    {
      head: 'What',
      isRowName: true,
      className: 'sm:w-[38%] [overflow-wrap:anywhere]',
      cell: (storm) => (
        <>
          {nameStorm(storm, now)}
          <p className="font-normal text-quiet">
            {storm.page === '' ? null : (
              <>
                On the page <span className="code">{storm.page}</span>.{' '}
              </>
            )}
            {describeSaved(storm)}
          </p>
        </>
      ),
    },
    { head: 'App', cell: ({ app }) => app },
    { head: 'Requests', cell: ({ requests }) => formatCount(requests) },
    { head: 'Sent', cell: describeBytes },
    { head: 'A month of it', cell: describeMonth },
    timeColumn('Since', now, (storm) => storm.first_at),
    lastRequestColumn(now),
  ];
}

/** One row for each tab and what it asks for most. */
export function StormsTable({ storms, now }: { storms: readonly ListedStorm[]; now: number }) {
  const keyOf = ({ app, tab, route }: ListedStorm) => [app, tab, route].join(' ');
  return <Table label="Storms" columns={listColumns(now)} rows={storms} keyOf={keyOf} />;
}
