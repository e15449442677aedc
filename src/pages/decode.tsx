import { DecodeTool } from '#src/flights/interface/decode/decode-tool.tsx';
import { Term } from '#viewer/term.tsx';
import { protocolPath } from '#src/server/http/addresses.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

export default function DecodePage() {
  return (
    <div className="stack-5">
      <title>Decode · Flight Recorder</title>
      <div className="decode-intro stack-2">
        <h1>
          Decode a <Term word="flight" />
        </h1>
        <p>
          The <Term word="payload" /> of a React Server Components app, made readable: any framework, React 19.0 to
          19.3. Decoded in your browser, uploaded nowhere. What each token means is on{' '}
          <Link to={protocolPath} prefetch="intent">
            the page about the protocol
          </Link>
          .
        </p>
      </div>
      <p className="without-scripts panel max-w-none px-4 py-3">
        Decoding happens in the browser, which needs JavaScript. In a terminal, with this project’s source:{' '}
        <code>npm run -s flight -- page.html</code>
      </p>
      <DecodeTool />
    </div>
  );
}

export async function getConfig() {
  return { render: 'static' } as const;
}
