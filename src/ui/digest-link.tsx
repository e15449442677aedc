import { digestPath } from '#src/server/http/addresses.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { describeControl } from '#flight';
import { showDigest } from './show-digest.ts';

/**
 * A digest as the visitor saw it, as a link to what is known of it. It is not prefetched: a list of them must not fetch
 * every page. What is no failure is said in words.
 */
export function DigestLink({ digest, app }: { digest: string; app: string }) {
  const control = describeControl(digest);
  if (control !== undefined) return <span className="text-quiet">{control}</span>;
  const code = showDigest(digest, app);
  return (
    <Link
      to={digestPath(code)}
      prefetch="intent"
      className="font-mono text-[0.875rem] font-medium [overflow-wrap:anywhere] sm:whitespace-nowrap"
    >
      {code}
    </Link>
  );
}
