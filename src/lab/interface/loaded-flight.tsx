import { useEffect, useState } from 'react';

import { EmptyState } from '#viewer/empty-state.tsx';
import { OpenFlight } from '#src/flights/interface/open-flight.tsx';
import { readPayloadFacts, type PayloadFacts } from '#src/flights/interface/payload-facts.ts';
import { experimentPath } from '#src/server/http/addresses.ts';

type State =
  | { readonly status: 'loading' }
  | { readonly status: 'failed'; readonly reason: string }
  | { readonly status: 'not-recorded' }
  | { readonly status: 'found'; readonly facts: PayloadFacts };

async function find(name: string, request: string | undefined, signal: AbortSignal): Promise<State> {
  const query = request === undefined ? '' : `?of=${request}`;
  const response = await fetch(`${experimentPath('about', name, 'flight')}${query}`, { signal });
  if (!response.ok) return { status: 'failed', reason: `The server answered with status ${response.status}.` };
  const data: unknown = await response.json();
  if (data === null) return { status: 'not-recorded' };
  const facts = readPayloadFacts(data);
  return facts ? { status: 'found', facts } : { status: 'failed', reason: 'The server answered something else.' };
}

type LoadedFlightProps = { readonly name: string; readonly request: string | undefined };

function Attempt({ name, request, onRetry }: LoadedFlightProps & { onRetry: () => void }) {
  const [state, setState] = useState<State>({ status: 'loading' });

  useEffect(() => {
    const lifetime = new AbortController();
    find(name, request, lifetime.signal).then(setState, () => {
      if (!lifetime.signal.aborted) setState({ status: 'failed', reason: 'The connection broke.' });
    });
    return () => lifetime.abort();
  }, [name, request]);

  const again = (
    <button type="button" onClick={onRetry}>
      Look again
    </button>
  );
  switch (state.status) {
    case 'loading':
      return (
        <p role="status" className="text-quiet">
          Waiting for the end of the response …
        </p>
      );
    case 'failed':
      return (
        <div role="alert" className="stack-2">
          <p>The flight could not be fetched. {state.reason}</p>
          {again}
        </div>
      );
    case 'not-recorded':
      return (
        <div className="stack-2">
          <p>It is not recorded yet: a flight is written when its response is over.</p>
          {again}
        </div>
      );
    case 'found':
      return (
        <OpenFlight
          {...state.facts}
          empty={
            <EmptyState title="There is no payload">
              <p>The response had no Flight rows.</p>
            </EmptyState>
          }
        />
      );
  }
}

/** Waits for the flight on the server, which writes it when the response is over. Loaded lazily, with the viewer. */
export function LoadedFlight(props: LoadedFlightProps) {
  const [attempt, setAttempt] = useState(0);
  return <Attempt key={attempt} {...props} onRetry={() => setAttempt((before) => before + 1)} />;
}
