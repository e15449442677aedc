import { DecodeTool } from '#src/flights/interface/decode/decode-tool.tsx';

/** The page /decode in a file: the same tool, without a server. */
export function DecodeOffline() {
  return (
    <main className="stack-5">
      <div className="decode-intro stack-2">
        <h1>Decode a flight</h1>
        <p>
          The payload of a React Server Components app, made readable: any framework, React 19.0 to 19.3, and Next.js
          13.4 and 14. This page has no server: what is opened here stays in this browser, and nothing is asked for.
        </p>
      </div>
      <DecodeTool />
    </main>
  );
}
