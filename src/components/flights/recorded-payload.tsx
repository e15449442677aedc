import { flightPayloadPath } from '#src/http/addresses.ts';
import { EmptyState } from '#src/components/empty-state.tsx';
import { formatBytes, type Flight, type ResponseFacts } from '#flight';
import type { RecordedFlight } from '#src/recorder/flight-record.ts';
import { readSources } from '#src/recorder/for-operator/sources.ts';
import { currentRequest } from '#src/http/request-context.ts';

import { nameFlight } from './name-flight.ts';
import { OpenFlight } from './open-flight.tsx';
import { PlainRows } from './plain-rows.tsx';
import { listPayloadChunks } from '#src/recorder/read-payload.ts';

/** A server that ended the response itself left its holes on purpose. */
function readResponseFacts({ kind, rendering, outcome, isCut }: RecordedFlight): ResponseFacts {
  const isBroken = isCut || outcome === 'failed' || outcome === 'left';
  return {
    isPrefetch: kind === 'prefetch',
    isPrerender: rendering === 'prerendered',
    isCut: isBroken || (outcome === 'complete' ? false : undefined),
  };
}

function Incomplete({ recorded }: { recorded: RecordedFlight }) {
  if (recorded.isCut) {
    return (
      <p role="note" className="panel px-4 py-3">
        <strong>The recording was cut.</strong> Of {formatBytes(recorded.bytes)} the first{' '}
        {formatBytes(recorded.body.length)} were kept: rows at the end are missing, and promises that they would have
        kept look open.
      </p>
    );
  }
  if (recorded.status === 304) {
    return (
      <p role="note" className="panel px-4 py-3">
        <strong>Only headers were sent.</strong> The browser had this payload already. This is what it had.
      </p>
    );
  }
  switch (recorded.outcome) {
    case 'complete':
    case 'none':
      return null;
    case 'failed':
      return (
        <p role="note" className="panel px-4 py-3">
          <strong>The stream broke.</strong> Only what was written before that is here.
        </p>
      );
    case 'left':
      return (
        <p role="note" className="panel px-4 py-3">
          <strong>The browser left before the end.</strong> All of this was written, but the browser may not have
          received it.
        </p>
      );
  }
}

function whyEmpty({ content, kind }: RecordedFlight): string {
  if (content === 'html') return 'The document carries no Flight rows.';
  return kind === 'action'
    ? 'The action answered without a payload: with a redirect, or with a refusal.'
    : 'The response had no Flight rows: it failed before there were any.';
}

/** The payload: the viewer, or the first rows when there is no JavaScript. */
export function RecordedPayload({ recorded, flight }: { recorded: RecordedFlight; flight: Flight }) {
  if (flight.bytes.length === 0) {
    return (
      <EmptyState title="There is no payload">
        <p>{whyEmpty(recorded)}</p>
      </EmptyState>
    );
  }
  // A client navigation proves that JavaScript runs. Then the rows need not be sent a second time.
  const isDocument = currentRequest()?.kind === 'document';
  return (
    <div className="stack-3">
      <Incomplete recorded={recorded} />
      {recorded.content === 'html' ? (
        <p className="text-sm text-quiet">
          This page was made at build time and served from a file. These are the Flight rows in its document; they have
          no times of their own.
        </p>
      ) : null}
      <OpenFlight
        key={recorded.id}
        address={flightPayloadPath(recorded.id)}
        title={`${nameFlight(recorded)} (${recorded.kind})`}
        chunks={listPayloadChunks(recorded)}
        facts={[]}
        response={readResponseFacts(recorded)}
        sources={Array.from(readSources())}
      />
      {isDocument ? (
        <noscript>
          <PlainRows flight={flight} />
        </noscript>
      ) : null}
    </div>
  );
}
