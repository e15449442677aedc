import { EmptyState } from '#src/components/empty-state.tsx';
import { formatBytes } from '#src/components/format-size.ts';
import type { Flight } from '#flight';
import type { RecordedFlight } from '#src/recorder/flight-record.ts';
import { readSources } from '#src/recorder/for-operator/sources.ts';
import { currentRequest } from '#src/http/request-context.ts';

import { nameFlight } from './name-flight.ts';
import { OpenFlight } from './open-flight.tsx';
import { PlainRows } from './plain-rows.tsx';
import { listPayloadChunks } from './read-payload.ts';

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
        <strong>Only headers were sent.</strong> The browser had this payload already; shown is what it had.
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
          <strong>The stream broke.</strong> What had been written until then is all there is.
        </p>
      );
    case 'left':
      return (
        <p role="note" className="panel px-4 py-3">
          <strong>The browser left before the end.</strong> What follows was written, not necessarily received.
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

/** The payload itself: the viewer, or its first rows where there is no JavaScript. */
export function RecordedPayload({ recorded, flight }: { recorded: RecordedFlight; flight: Flight }) {
  if (flight.bytes.length === 0) {
    return (
      <EmptyState title="There is no payload">
        <p>{whyEmpty(recorded)}</p>
      </EmptyState>
    );
  }
  // Whoever came here by a link of this app runs JavaScript, and need not be sent all rows a second time.
  const isDocument = currentRequest()?.kind === 'document';
  return (
    <div className="stack-3">
      <Incomplete recorded={recorded} />
      {recorded.content === 'html' ? (
        <p className="text-sm text-quiet">
          This page was made at build time and served from a file. Shown are the Flight rows that its document carries;
          they have no times of their own.
        </p>
      ) : null}
      <OpenFlight
        key={recorded.id}
        address={`/flights/${recorded.id}/payload`}
        title={`${nameFlight(recorded)} (${recorded.kind})`}
        chunks={listPayloadChunks(recorded)}
        facts={[]}
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
