import 'server-only';

import { experimentPath } from '#src/server/http/addresses.ts';
import { currentRequest } from '#src/server/http/request-context.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

export function PrefetchedPage({ number }: { number: string }) {
  const request = currentRequest();
  const renderedAt = request ? new Date(request.startedAt).toISOString() : 'build time';
  return (
    <div className="stack-3">
      <title>{`Page ${number} · Flight Recorder`}</title>
      <h1>{`Page ${number}`}</h1>
      <p>{`Rendered at ${renderedAt}.`}</p>
      <p>
        <Link to={experimentPath('prefetch')}>Back to the links</Link> ·{' '}
        <Link to={`${experimentPath('prefetch', number)}#end`}>To the end</Link>
      </p>
      <p id="end">This is the end.</p>
    </div>
  );
}
