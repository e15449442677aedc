import 'server-only';

import { flightPayloadPath } from '#src/http/addresses.ts';
import type { RecordedFlight } from '#src/recorder/flight-record.ts';
import { readSources } from '#src/recorder/for-operator/sources.ts';
import { listPayloadChunks } from '#src/recorder/read-payload.ts';

import { nameFlight } from './name-flight.ts';
import type { PayloadFacts } from './payload-facts.ts';

/** A server that ended the response itself left its holes on purpose. */
function readResponseFacts({ kind, rendering, outcome, isCut }: RecordedFlight): PayloadFacts['response'] {
  const isBroken = isCut || outcome === 'failed' || outcome === 'left';
  return {
    isPrefetch: kind === 'prefetch',
    isPrerender: rendering === 'prerendered',
    isCut: isBroken || (outcome === 'complete' ? false : undefined),
  };
}

export function describePayload(recorded: RecordedFlight): PayloadFacts {
  const { response, transferred } = recorded.sizes;
  return {
    address: flightPayloadPath(recorded.id),
    title: `${nameFlight(recorded)} (${recorded.kind})`,
    chunks: listPayloadChunks(recorded),
    response: readResponseFacts(recorded),
    responseBytes: response,
    transferred,
    sources: Array.from(readSources()),
  };
}
