import 'server-only';

import { listRowCauses, type Flight, type ServerTime } from '#flight';
import { flightPayloadPath } from '#src/server/http/addresses.ts';
import type { RecordedFlight } from '../flight/flight-record.ts';
import { ownApp } from '#src/store/own-app.ts';
import { readEditor } from '#src/ui/editor/read-editor.ts';
import { listPayloadChunks, readResponseFacts } from '../flight/read-payload.ts';

import { nameFlight } from './name-flight.ts';
import type { PayloadFacts } from './payload-facts.ts';

export function describePayload(
  recorded: RecordedFlight,
  moduleFiles: Flight['moduleFiles'],
  time?: ServerTime,
): PayloadFacts {
  const { response, transferred } = recorded.sizes;
  return {
    address: flightPayloadPath(recorded.id),
    title: `${nameFlight(recorded)} (${recorded.kind})`,
    chunks: listPayloadChunks(recorded),
    response: readResponseFacts(recorded),
    responseBytes: response,
    transferred,
    requests: time && listRowCauses(time),
    sources: [...moduleFiles],
    // Another app's sources are elsewhere.
    editor: recorded.app === ownApp ? readEditor() : undefined,
  };
}
