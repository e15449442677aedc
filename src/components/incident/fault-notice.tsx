import { formatCount } from '#flight';
import { digestPath } from '#src/http/addresses.ts';
import type { Incident } from '#src/reports/incident.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

/** Says that a digest names a fault and not one error, so that nobody takes this error for the visitor's own. */
export function FaultNotice({ incident, isLatest }: { incident: Incident; isLatest: boolean }) {
  const { digest, names, withDigest } = incident;
  if (names === 'occurrence' || digest === null) return null;
  return (
    <p role="note" className="panel max-w-none px-4 py-3">
      <strong>This digest names a fault.</strong> The same digest comes from every copy of this error: its framework
      makes it from the message and the stack.{' '}
      {isLatest ? (
        withDigest === 1 ? (
          'One error with it is kept.'
        ) : (
          `${formatCount(withDigest)} errors with it are kept. Below is the latest; its fault has the others.`
        )
      ) : (
        <>
          This is one of {formatCount(withDigest)} that are kept.{' '}
          <Link to={digestPath(digest)}>All with this digest</Link>
        </>
      )}
    </p>
  );
}
