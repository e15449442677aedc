import { formatCount } from '#flight';
import { showDigest } from '#src/ui/show-digest.ts';
import { digestPath, errorPath } from '#src/server/http/addresses.ts';
import type { ErrorDetails } from '#src/faults/kept/error-details.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import type { AskedQuery } from './asked-query.ts';
import { ChosenNotice } from './chosen-notice.tsx';
import { WhenForm } from './when-form.tsx';

type FaultNoticeProps = {
  readonly details: ErrorDetails;
  /** What the address of the digest's page asks; undefined on the page of one error. */
  readonly query: AskedQuery | undefined;
};

function describeKept({ withDigest, choice }: ErrorDetails, deleted: number): string {
  const gone = deleted === 0 ? '' : `, ${formatCount(deleted)} more ${deleted === 1 ? 'was' : 'were'} deleted`;
  if (withDigest === 1) return `One error with it is kept${gone}.`;
  const latest = choice ? '' : ' Below is the latest, which need not be the one that is meant.';
  return `${formatCount(withDigest)} errors with it are kept${gone}.${latest}`;
}

/** Says that a digest names a fault and not one error, so that nobody takes this error for the visitor's own. */
export function FaultNotice({ details, query }: FaultNoticeProps) {
  const { app, digest, names, withDigest, past, choice, otherFaults } = details;
  if (names === 'error' || digest === null) return null;
  const deleted = past.reduce((sum, { count }) => sum + count, 0);
  return (
    <div role="note" className="panel stack-3 max-w-none px-4 py-3">
      <p>
        <strong>
          This digest names {otherFaults.length === 0 ? 'a fault' : formatCount(otherFaults.length + 1) + ' faults'}.
        </strong>{' '}
        The same digest comes from every copy of this error: its framework makes it from the message and the stack.{' '}
        {query ? (
          describeKept(details, deleted)
        ) : (
          <>
            This is one of {formatCount(withDigest)} that are kept.{' '}
            <Link to={digestPath(digest)}>All with this digest</Link>
          </>
        )}
      </p>
      {query && withDigest + deleted > 1 ? (
        <WhenForm action={digestPath(showDigest(digest, app))} query={query} />
      ) : null}
      {choice ? <ChosenNotice choice={choice} /> : null}
      {otherFaults.length > 0 ? (
        <div>
          <p>Errors with another cause have it, too, and are faults of their own. The latest of each:</p>
          <ul className="stack-1 list-none p-0">
            {otherFaults.map(({ id, name, message, cause }) => (
              <li key={id}>
                <Link to={errorPath(id)} prefetch="intent" className="[overflow-wrap:anywhere]">
                  {cause === '' ? `${name}: ${message.slice(0, 200)}` : `caused by ${cause.slice(0, 200)}`}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ) : null}
    </div>
  );
}
