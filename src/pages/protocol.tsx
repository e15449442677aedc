import { ProtocolPage } from '#src/viewer/protocol/protocol-page.tsx';

export default function Protocol() {
  return (
    <div className="stack-5">
      <title>The protocol · Flight Recorder</title>
      <div className="stack-2">
        <h1>Flight, token by token</h1>
        <p>
          What React Server Components send, and what a browser sends to call an action: every row, every <code>$</code>
          , with examples that this server’s own decoder reads.
        </p>
      </div>
      <ProtocolPage />
    </div>
  );
}

export async function getConfig() {
  return { render: 'static' } as const;
}
