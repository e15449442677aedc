import 'server-only';

import type { BodyLimit } from '#src/server/http/check-request.ts';

/** What an app sends of its requests together: its flights, or its server's spans. */

/** What any body may have here (server/http/check-request.ts). */
export const largestBatch: BodyLimit = { bytes: 1024 * 1024, code: 'body-too-large' };
/** Each holds its text and what is read from it in memory. */
export const unpackedTogether = 2;
/**
 * Why a body is refused for its brackets, commas and colons outside of texts: what parsing takes follows from them. Eight megabytes of
 * `{}` ended a process with a heap of 128, and what is parsed at once holds up the thread that serves.
 */
export function sayTooMany(most: number): string {
  return `more than ${most} parts`;
}
/** As long as the recorder waits before it starts a thread that ended again, and longer than a batch takes. */
export const retrySeconds = 2;
