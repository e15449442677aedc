import { countOf, formatCount } from '#flight';
import { flightsPath } from '#src/server/http/addresses.ts';
import { stretch } from '#src/flights/for-operator/queries.ts';
import type { SortedPage } from '#src/flights/for-operator/sort-flights.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { formatFlightQuery, toFirstPage, type FlightQuery } from './flight-query.ts';

type To = Pick<FlightQuery, 'before' | 'skip'>;

function PageLink({ query, to, children }: { query: FlightQuery; to: Partial<To>; children: string }) {
  return (
    <Link to={`${flightsPath}${formatFlightQuery({ ...toFirstPage(query), ...to })}`} prefetch="intent">
      {children}
    </Link>
  );
}

type FlightPagesProps = {
  readonly query: FlightQuery;
  /** The id at which the page after this one begins. */
  readonly older: number | undefined;
  /** The id at which the page before this one begins; undefined for the newest. */
  readonly newer: number | undefined;
};

/** Links to older and newer flights. */
export function FlightPages({ query, older, newer }: FlightPagesProps) {
  const isNewest = query.before === undefined;
  if (isNewest && older === undefined) return null;
  return (
    <nav aria-label="More flights" className="flight-pages">
      {isNewest ? null : (
        <>
          <PageLink query={query} to={{}}>
            Newest
          </PageLink>
          <PageLink query={query} to={{ before: newer }}>
            Newer
          </PageLink>
        </>
      )}
      {older === undefined ? null : (
        <PageLink query={query} to={{ before: older }}>
          Older
        </PageLink>
      )}
    </nav>
  );
}

type SortedPagesProps = {
  readonly query: FlightQuery;
  readonly page: SortedPage;
  readonly pageSize: number;
};

function describe({ sorted, older }: SortedPage, isNewest: boolean): string {
  const what = countOf(sorted, 'flight');
  if (!isNewest) return `Sorted over ${what}: those that match in an older part of the recording.`;
  if (older === undefined) return `Sorted over ${sorted === 1 ? '' : 'all '}${what}.`;
  return `Sorted over ${what}: those that match among the newest ${formatCount(stretch)}.`;
}

/** Shows where a list in another order goes on, and over how many flights it was put in order. */
export function SortedPages({ query, page, pageSize }: SortedPagesProps) {
  const { sorted, top, older } = page;
  const isNewest = query.before === undefined;
  const last = query.skip + pageSize;
  return (
    <nav aria-label="More flights" className="flight-pages">
      <span className="text-quiet">{describe(page, isNewest || top === page.newest + 1)}</span>
      {query.skip > 0 ? (
        <PageLink query={query} to={{ before: top, skip: Math.max(0, query.skip - pageSize) }}>
          Previous
        </PageLink>
      ) : null}
      {last < sorted ? (
        <PageLink query={query} to={{ before: top, skip: last }}>
          Next
        </PageLink>
      ) : null}
      {isNewest ? null : (
        <PageLink query={query} to={{}}>
          Newest
        </PageLink>
      )}
      {older === undefined ? null : (
        <PageLink query={query} to={{ before: older }}>
          Sort the older ones
        </PageLink>
      )}
    </nav>
  );
}
