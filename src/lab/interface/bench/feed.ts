import type { ReactNode } from 'react';
import RSDWClient from 'react-server-dom-webpack/client';
import { unstable_callServerRsc as callServerRsc } from 'waku/minimal/client';

/** A payload that React is given piece by piece, as if it came over a slow network. */
export type Feed = {
  readonly root: Promise<ReactNode>;
  readonly give: (bytes: Uint8Array) => void;
  readonly end: () => void;
};

/** What is not read yet waits in the stream: a payload is in memory as a whole anyway. */
function ignore(): void {
  // A stream that failed is shown by who reads it.
}

export function createFeed(): Feed {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  // What reads a response is in every page already.
  const root = RSDWClient.createFromFetch(Promise.resolve(new Response(readable)), {
    callServer: (id, args) => callServerRsc(id, args),
  });
  return {
    root,
    give: (bytes) => void writer.write(bytes).catch(ignore),
    end: () => void writer.close().catch(ignore),
  };
}
