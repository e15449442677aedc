import 'server-only';

import {
  decodeFlight,
  isShellRead,
  readErrors,
  readShellWaits,
  scanFlight,
  type Flight,
  type ShellWait,
} from '#flight';

import { currentRequest } from '#src/server/http/request-context.ts';
import type { RecordedFlight } from '../flight/flight-record.ts';
import { listPayloadChunks, readPayload } from '../flight/read-payload.ts';
import { formatRowName } from '#viewer/view-hash.ts';

/** An error in a row of the payload. */
export type CarriedError = {
  /** Its row, as addresses name it. */
  readonly row: string;
  readonly digest: string | undefined;
  /** In development alone. */
  readonly name: string | undefined;
  readonly message: string | undefined;
};

type OpenedOnServer = {
  /** For a browser that may have no JavaScript. */
  readonly plain: Flight | undefined;
  readonly errors: readonly CarriedError[];
};

/**
 * What the server itself needs of a payload. The browser decodes it, so here that is done only for a document, whose reader may
 * have no JavaScript, and for errors. A client navigation proves that JavaScript runs, and framing alone, a tenth of the work,
 * says that there are no errors.
 */
export function openOnServer(recorded: RecordedFlight, moduleFiles: Flight['moduleFiles']): OpenedOnServer {
  const { content } = recorded;
  const isDocument = currentRequest()?.kind === 'document';
  // A page with an error is not made at build time. Its rows would have to be cut out of the HTML first.
  if (content === 'html' && !isDocument) return { plain: undefined, errors: [] };
  const payload = readPayload(recorded);
  const hasErrors = payload.length > 0 && scanFlight([payload]).errors.length > 0;
  if (payload.length === 0 || !(isDocument || hasErrors)) return { plain: undefined, errors: [] };
  const flight = decodeFlight(payload, { moduleFiles });
  const errors = readErrors(flight).map(({ row, digest, name, message }) => ({
    row: formatRowName(flight, row),
    digest,
    name,
    message,
  }));
  return { plain: isDocument ? flight : undefined, errors };
}

/**
 * What of it came late that its page could not be shown without. Asked for where the app told what the server did: that is rare, so the
 * payload is decoded for it.
 * @param plain where it is decoded already
 */
export function readRecordedShell(recorded: RecordedFlight, plain: Flight | undefined): ShellWait[] {
  const chunks = listPayloadChunks(recorded);
  if (!isShellRead(recorded.body.length, chunks)) return [];
  return readShellWaits(plain ?? decodeFlight(readPayload(recorded)), chunks);
}
