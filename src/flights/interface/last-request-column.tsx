import { flightOfRequestPath } from '#src/server/http/addresses.ts';
import { Link } from '#src/runtime/navigation/link.tsx';
import { Moment } from '#src/ui/moment.tsx';
import type { Column } from '#viewer/table.tsx';

/** When something was last seen, which leads to the flight that showed it. */
export function lastRequestColumn<Row extends { readonly request_id: string; readonly last_at: number }>(
  now: number,
): Column<Row> {
  return {
    head: 'Last',
    className: 'whitespace-nowrap',
    cell: (row) => (
      <Link to={flightOfRequestPath(row.request_id)}>
        <Moment time={row.last_at} now={now} isDense />
      </Link>
    ),
  };
}
