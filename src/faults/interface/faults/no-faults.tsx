import type { AppName } from '#src/apps/for-operator/read-apps.ts';
import { EmptyState } from '#viewer/empty-state.tsx';
import { appPath, appsPath, experimentPath, faultsPath, labPath } from '#src/server/http/addresses.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { formatFaultQuery, hasFilter, withoutFilter, type FaultQuery } from './fault-query.ts';

type NoFaultsProps = {
  readonly query: FaultQuery;
  /** How many there are without a filter. */
  readonly total: number;
  /** Whether digests that are nearly what was searched for stand below. */
  readonly isNear: boolean;
  /** The app that the list is of. */
  readonly app: AppName | undefined;
};

/** What somebody does about it who read a digest on an error page. */
function DigestHint({ isNear }: Pick<NoFaultsProps, 'isNear'>) {
  if (isNear) return <p>One of the digests below may be meant: they are nearly the same.</p>;
  return (
    <p>If it is a digest, it was misread, or its error is too old, or the app that showed it does not report here.</p>
  );
}

function NoMatch({ query, isNear }: Pick<NoFaultsProps, 'query' | 'isNear'>) {
  const isSearch = query.text !== '';
  return (
    <EmptyState title={isSearch ? `Nothing found for “${query.text.slice(0, 100)}”` : 'No fault like this'}>
      {isSearch ? (
        <p>
          No digest, event, trace or fault has this name, and no error has all of these words. A word has to be whole,
          except the last one; words in double quotes have to follow each other.
        </p>
      ) : null}
      {isSearch ? <DigestHint isNear={isNear} /> : null}
      <p>
        <Link to={`${faultsPath}${formatFaultQuery(withoutFilter(query))}`}>
          {isSearch ? 'Clear the search' : 'Clear the filter'}
        </Link>
        {isSearch ? '.' : ', or look at '}
        {isSearch ? null : (
          <>
            <Link to={`${faultsPath}${formatFaultQuery({ ...withoutFilter(query), state: 'any' })}`}>
              faults in any state
            </Link>
            .
          </>
        )}
      </p>
    </EmptyState>
  );
}

/** Shows why no fault is listed, and what a person can do about it. */
export function NoFaults({ query, isNear, total, app }: NoFaultsProps) {
  if (total > 0 && (hasFilter(query) || query.place !== undefined)) return <NoMatch query={query} isNear={isNear} />;
  if (total > 0) {
    return (
      <EmptyState title="No open fault">
        <p>
          All {total === 1 ? 'that there is' : total} {total === 1 ? 'is' : 'are'} resolved, snoozed or muted.{' '}
          <Link to={`${faultsPath}${formatFaultQuery({ ...query, state: 'any' })}`}>Show faults in any state</Link>.
        </p>
      </EmptyState>
    );
  }
  if (query.text !== '') return <NoMatch query={query} isNear={isNear} />;
  if (app && !app.isOwn) {
    return (
      <EmptyState title={`No fault of ${app.name} so far`}>
        <p>
          Its errors are listed here when it reports them. <Link to={appPath(app.id)}>See how to set it up</Link>.
        </p>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="No fault so far">
      <p>
        Errors that have the same cause are one fault, however often they occur. First,{' '}
        <Link to={appsPath}>let an app of yours report here</Link>: with a Sentry SDK, a line in its code, or nothing in
        it at all.
      </p>
      <p>
        To see how it works, break something on purpose:{' '}
        <a href={experimentPath('throw-before-shell')}>a page that fails at once</a>, or anything else in the{' '}
        <Link to={labPath}>lab</Link>.
      </p>
    </EmptyState>
  );
}
