import { errorPath } from '#src/http/addresses.ts';
import type { ErrorSummary } from '#src/reports/incident.ts';
import { Link } from '#src/runtime/navigation/link.tsx';
import { ownApp } from '#src/store/own-app.ts';

import { DigestLink } from './digest-link.tsx';

/** Leads to this error. A digest of another app may stand for many, so its errors have addresses of their own. */
export function ErrorLink({ error }: { error: Pick<ErrorSummary, 'id' | 'digest' | 'app' | 'side'> }) {
  const { id, digest, app, side } = error;
  if (digest !== null && (app === ownApp || side === 'browser')) return <DigestLink digest={digest} app={app} />;
  return (
    <Link
      to={errorPath(id)}
      prefetch="intent"
      className="font-mono text-[0.875rem] font-medium [overflow-wrap:anywhere] sm:whitespace-nowrap"
    >
      {digest ?? 'no digest'}
    </Link>
  );
}
