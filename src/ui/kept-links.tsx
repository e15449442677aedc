import { notKeptPath, scrubbingPath } from '#src/server/http/addresses.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

/** Links that answer why something is not in what was recorded. */
export function KeptLinks() {
  return (
    <p className="text-sm">
      <Link to={scrubbingPath} prefetch="intent">
        What is removed before storing
      </Link>{' '}
      ·{' '}
      <Link to={notKeptPath} prefetch="intent">
        What was received and not kept
      </Link>
    </p>
  );
}
