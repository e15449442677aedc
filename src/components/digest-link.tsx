import { digestPath } from '#src/http/addresses.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { formatDigest } from '#src/runtime/errors/digest.ts';

/**
 * A digest as the visitor saw it, as a link to what is known of it. It is not prefetched: a list of them must not fetch
 * every page.
 */
export function DigestLink({ digest }: { digest: string }) {
  const code = formatDigest(digest);
  return (
    <Link to={digestPath(code)} prefetch="intent" className="font-mono text-[0.875rem] font-medium whitespace-nowrap">
      {code}
    </Link>
  );
}
