'use client';

import { useEffect, useMemo, useState, type ReactNode } from 'react';

import { viewerAddresses } from '#src/flights/interface/decode/viewer-addresses.ts';
import { findEditorAddress } from '#src/ui/editor/find-editor-address.ts';
import { FlightViewer } from '#viewer/flight-viewer.tsx';
import { preloadShownPanel } from '#viewer/load-panel.ts';
import type { OpenedFlight } from '#viewer/opened-flight.ts';
import type { ViewerAddresses } from '#viewer/viewer-addresses.ts';
import { type Flight, decodeFlight } from '#flight';
import { useHydrated } from '#viewer/use-hydrated.ts';

import type { PayloadFacts } from './payload-facts.ts';
import { countInWorker } from './decode/count-in-worker.ts';
import { decodeInWorker, largestDecodedInline } from './decode/decode-in-worker.ts';

/** What `runDecodeTask` does, for bytes that are known to be a payload: without the code that looks for one in files. */
async function decodePayload(
  bytes: Uint8Array,
  moduleFiles: Flight['moduleFiles'],
): Promise<{ readonly flight: Flight; readonly bytes: Uint8Array }> {
  if (bytes.length <= largestDecodedInline) {
    const flight = decodeFlight(bytes, { moduleFiles });
    countInWorker(flight);
    return { flight, bytes };
  }
  const found = { direction: 'response', origin: { kind: 'payload', mended: [] }, bytes, chunks: [] } as const;
  const answer = await decodeInWorker({ kind: 'open', found, moduleFiles });
  if (answer.kind !== 'opened') throw new Error('The worker did not open the payload');
  return { flight: answer.flight, bytes };
}

type OpenFlightProps = PayloadFacts & {
  /** Shown when there is not a byte. */
  readonly empty: ReactNode;
};

type Loaded =
  | { readonly status: 'loading' }
  | { readonly status: 'failed'; readonly reason: string }
  | { readonly status: 'empty' }
  | { readonly status: 'loaded'; readonly flight: Flight; readonly bytes: Uint8Array };

async function load(address: string, sources: PayloadFacts['sources'], signal: AbortSignal): Promise<Loaded> {
  const response = await fetch(address, { signal });
  if (response.status === 404) return { status: 'failed', reason: 'It has been deleted meanwhile.' };
  if (!response.ok) return { status: 'failed', reason: `The server answered with status ${response.status}.` };
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes.length === 0) return { status: 'empty' };
  return { status: 'loaded', ...(await decodePayload(bytes, new Map(sources))) };
}

function Attempt(props: OpenFlightProps & { onRetry: () => void }) {
  const { address, title, chunks, response, responseBytes, transferred, requests, sources, editor, empty, onRetry } =
    props;
  const [loaded, setLoaded] = useState<Loaded>({ status: 'loading' });

  useEffect(() => {
    const lifetime = new AbortController();
    void preloadShownPanel(globalThis.location.hash);
    load(address, sources, lifetime.signal).then(setLoaded, (error: unknown) => {
      if (lifetime.signal.aborted) return;
      setLoaded({ status: 'failed', reason: error instanceof Error ? error.message : 'The connection broke.' });
    });
    return () => lifetime.abort();
  }, [address, sources]);

  const opened = useMemo<OpenedFlight | undefined>(() => {
    if (loaded.status !== 'loaded') return undefined;
    const { flight, bytes } = loaded;
    const sizes = { response: responseBytes, transferred };
    return { flight, bytes, chunks, title, facts: [], response, requests, sizes };
  }, [loaded, chunks, title, response, requests, responseBytes, transferred]);

  const addresses = useMemo<ViewerAddresses>(() => {
    if (!import.meta.env.DEV || !editor) return viewerAddresses;
    return { ...viewerAddresses, openSource: ({ file, ...place }) => findEditorAddress(editor, file, place) };
  }, [editor]);

  if (opened) return <FlightViewer opened={opened} addresses={addresses} />;
  if (loaded.status === 'empty') return empty;
  if (loaded.status !== 'failed') {
    return (
      <p role="status" className="text-quiet">
        Fetching and decoding the payload …
      </p>
    );
  }
  return (
    <div role="alert" className="stack-2">
      <p>The payload could not be fetched. {loaded.reason}</p>
      <button type="button" onClick={onRetry}>
        Try again
      </button>
    </div>
  );
}

/** Fetches a recorded flight's bytes, decodes them here in the browser, and shows them. */
export function OpenFlight(props: OpenFlightProps) {
  const [attempt, setAttempt] = useState(0);
  const isHydrated = useHydrated();
  if (!isHydrated) return null;
  return <Attempt key={attempt} {...props} onRetry={() => setAttempt((before) => before + 1)} />;
}
