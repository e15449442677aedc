import { Link } from 'waku';

import { formatDigest } from '#src/runtime/errors/digest.ts';

/** A digest as the visitor saw it, leading to what is known of it. */
export function DigestLink({ digest }: { digest: string }) {
  const code = formatDigest(digest);
  return (
    <Link to={`/digest/${code}`} className="font-mono text-[0.875rem] font-medium whitespace-nowrap">
      {code}
    </Link>
  );
}
