import { decodeFlight, type Flight } from '#flight';

import { countInWorker } from './count-in-worker.ts';
import { decodeInWorker, largestDecodedInline } from './decode-in-worker.ts';

/** What `runDecodeTask` does, for bytes that are known to be a payload: without the code that looks for one in files. */
export async function decodePayload(
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
