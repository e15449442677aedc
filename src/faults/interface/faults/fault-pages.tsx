import { faultsPath } from '#src/server/http/addresses.ts';
import type { FaultList } from '#src/faults/grouping/list-faults.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { formatFaultQuery, toFirstPage, type FaultQuery } from './fault-query.ts';

type PageLinkProps = { readonly query: FaultQuery; readonly place: FaultQuery['place']; readonly children: string };

function PageLink({ query, place, children }: PageLinkProps) {
  return (
    <Link to={`${faultsPath}${formatFaultQuery({ ...toFirstPage(query), place })}`} prefetch="intent">
      {children}
    </Link>
  );
}

function nameEnds(order: FaultQuery['order']): {
  readonly first: string;
  readonly previous: string;
  readonly next: string;
} {
  switch (order) {
    case 'last':
    case 'first':
      return { first: 'Newest', previous: 'Newer', next: 'Older' };
    case 'count':
    case 'users':
      return { first: 'Most', previous: 'More', next: 'Fewer' };
  }
}

/** Links to the pages of the list before and after this one. */
export function FaultPages({ query, list }: { query: FaultQuery; list: Pick<FaultList, 'next' | 'previous'> }) {
  const { next, previous } = list;
  const names = nameEnds(query.order);
  if (!next && !previous && !query.place) return null;
  return (
    <nav aria-label="More faults" className="flight-pages">
      {query.place ? (
        <PageLink query={query} place={undefined}>
          {names.first}
        </PageLink>
      ) : null}
      {previous ? (
        <PageLink query={query} place={previous}>
          {names.previous}
        </PageLink>
      ) : null}
      {next ? (
        <PageLink query={query} place={next}>
          {names.next}
        </PageLink>
      ) : null}
    </nav>
  );
}
