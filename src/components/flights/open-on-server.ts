import 'server-only';

import { decodeFlight, readErrors, scanFlight, type Flight } from '#flight';

import { currentRequest } from '#src/http/request-context.ts';
import type { RecordedFlight } from '#src/recorder/flight-record.ts';
import { readPayload } from '#src/recorder/read-payload.ts';
import { formatRowName } from '#src/viewer/view-hash.ts';

import type { CarriedError } from './payload-errors.tsx';

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
export function openOnServer({ content, body }: Pick<RecordedFlight, 'content' | 'body'>): OpenedOnServer {
  const isDocument = currentRequest()?.kind === 'document';
  // A page with an error is not made at build time. Its rows would have to be cut out of the HTML first.
  if (content === 'html' && !isDocument) return { plain: undefined, errors: [] };
  const payload = readPayload({ content, body });
  const hasErrors = payload.length > 0 && scanFlight([payload]).errors.length > 0;
  if (payload.length === 0 || !(isDocument || hasErrors)) return { plain: undefined, errors: [] };
  const flight = decodeFlight(payload);
  const errors = readErrors(flight).map(({ row, digest, name, message }) => ({
    row: formatRowName(flight, row),
    digest,
    name,
    message,
  }));
  return { plain: isDocument ? flight : undefined, errors };
}
