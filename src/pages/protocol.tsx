import { Link } from '#src/runtime/navigation/link.tsx';
import { decodePath, labPath } from '#src/server/http/addresses.ts';
import { ProtocolPage } from '#viewer/protocol/protocol-page.tsx';

export default function Protocol() {
  return (
    <div className="stack-5">
      <title>The protocol · Flight Recorder</title>
      <div className="stack-2">
        <h1>Flight, token by token</h1>
        <p>
          What React Server Components send, and what a browser sends to call an action: every row, every <code>$</code>
          , with examples that this server’s own decoder reads.{' '}
          <Link to={labPath} prefetch="intent">
            The lab
          </Link>{' '}
          has experiments that send them, and a course.
        </p>
      </div>
      <ProtocolPage decode={decodePath} />
    </div>
  );
}

export async function getConfig() {
  return { render: 'static' } as const;
}
