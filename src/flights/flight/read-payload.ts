import { isCutOff, readFlightFromHtml, type Transfer } from '#flight';
import type { RecordedFlight } from './flight-record.ts';

/** The Flight rows of a recorded flight: its body, or the rows in the scripts of a prerendered document. */
export function readPayload({ content, body }: Pick<RecordedFlight, 'content' | 'body'>): Uint8Array {
  switch (content) {
    case 'flight':
      return body;
    case 'html':
      return readFlightFromHtml(new TextDecoder().decode(body))[0]?.bytes ?? new Uint8Array();
    case 'none':
      return body.subarray(0, 0);
  }
}

/** When the payload's bytes were written, as far as they were kept. A document's scripts have no times of their own. */
export function listPayloadChunks({ content, body, chunks }: Pick<RecordedFlight, 'content' | 'body' | 'chunks'>) {
  if (content !== 'flight') return [];
  let left = body.length;
  return chunks.flatMap(([ms, bytes, isDebug]) => {
    const kept = Math.min(bytes, left);
    if (isDebug === 1 || kept === 0) return [];
    left -= kept;
    return [{ ms, bytes: kept }];
  });
}

/** What is known of the response beside its payload. */
export function readResponseFacts(recorded: RecordedFlight) {
  const { kind, rendering, outcome, isCut } = recorded;
  return {
    isPrefetch: kind === 'prefetch',
    isPrerender: rendering === 'prerendered',
    isCut: isCutOff(kind, outcome),
    isLeft: outcome === 'left' || undefined,
    isKeptInPart: isCut || undefined,
    transfer: readTransfer(recorded),
  };
}

/** How it was sent, where both sizes of the response are known. */
function readTransfer({
  sizes: { response, transferred },
  codec,
}: Pick<RecordedFlight, 'sizes' | 'codec'>): Transfer | undefined {
  return response === undefined || transferred === undefined ? undefined : { response, sent: transferred, codec };
}
