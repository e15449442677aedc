import { flightsPath } from '#src/server/http/addresses.ts';
import type { FlightOrder } from '#src/flights/for-operator/sort-flights.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { formatFlightQuery, toFirstPage, type FlightQuery } from './flight-query.ts';

const newestFirst: FlightOrder = { by: 'time', isAscending: false };

type SortLinkProps = {
  readonly query: FlightQuery;
  readonly by: FlightOrder['by'];
  readonly children: string;
};

/** A link to the same list in another order. The largest are first; the same link turns the order round. */
function SortLink({ query, by, children }: SortLinkProps) {
  const order = query.order ?? newestFirst;
  const isChosen = order.by === by;
  const next = { by, isAscending: isChosen && !order.isAscending };
  const isUsual = by === newestFirst.by && !next.isAscending;
  return (
    <Link
      to={`${flightsPath}${formatFlightQuery({ ...toFirstPage(query), order: isUsual ? undefined : next })}`}
      prefetch="intent"
      scroll={false}
      aria-current={isChosen ? 'true' : undefined}
    >
      {children}
      {isChosen ? <span aria-hidden="true">{order.isAscending ? ' ↑' : ' ↓'}</span> : null}
    </Link>
  );
}

/** The head of a column by which the list can be put in order. */
export function SortHead({
  title,
  className,
  ...link
}: SortLinkProps & { readonly title?: string; readonly className?: string }) {
  const { by, isAscending } = link.query.order ?? newestFirst;
  const sort = by !== link.by ? undefined : isAscending ? 'ascending' : 'descending';
  return (
    <th scope="col" title={title} className={className} data-column={link.by} aria-sort={sort}>
      <SortLink {...link} />
    </th>
  );
}

const names = [
  ['time', 'time'],
  ['flight', 'Flight'],
  ['response', 'response'],
  ['transferred', 'transferred'],
  ['duration', 'duration'],
  ['status', 'status'],
] as const satisfies readonly (readonly [FlightOrder['by'], string])[];

/** The same choice for a narrow screen, where the table has no head. */
export function SortChoice({ query }: { query: FlightQuery }) {
  return (
    <nav aria-label="Order" className="choice-links where-narrow">
      <span className="text-quiet">Order by</span>
      {names.map(([by, name]) => (
        <SortLink key={by} query={query} by={by}>
          {name}
        </SortLink>
      ))}
    </nav>
  );
}
