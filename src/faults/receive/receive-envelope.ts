import 'server-only';

import { forwardEnvelope } from './forward-envelope.ts';
import { ingestEnvelope, type IngestResult, type Sender } from './ingest-envelope.ts';

/**
 * The receiver that browsers' SDKs talk to. It keeps an envelope, then sends a copy to the operator's Sentry if there
 * is one. It resolves when the envelope is kept, and does not wait for the copy.
 * @throws the database's error when the envelope could not be kept
 */
export async function receiveEnvelope(bytes: Uint8Array, sender: Sender = {}): Promise<IngestResult> {
  const result = await ingestEnvelope(bytes, sender);
  if (result.status === 'stored') forwardEnvelope(bytes);
  return result;
}
