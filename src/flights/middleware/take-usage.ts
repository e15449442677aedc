import 'server-only';

import { checkDeclaredLength, checkOrigin, type BodyLimit } from '#src/server/http/check-request.ts';
import { usedAtOnce } from '#src/server/http/flight-headers.ts';
import { takeBody } from '#src/server/http/read-body.ts';
import { refuse } from '#src/server/http/refuse.ts';
import { readRequestIds } from '../flight/request-facts.ts';
import type { UsageNote } from '#src/flights/writer/flight-writer.ts';

/**
 * What a document that is being closed says of its prefetches. The message is bounded: one trace and twenty ids, each of 128 random
 * bits that only the browser which made the prefetch was told. It sets two times in the recording and reads nothing.
 */

/** A trace and twenty prefetches, of 32 characters each: 692 bytes. */
const idsLimit = 1 + usedAtOnce;
const bodyLimit: BodyLimit = { bytes: 1024, code: 'body-too-large' };

/**
 * @param note told what it says
 * @param publicOrigin as for `checkOrigin`
 */
export async function takeUsage(
  request: Request,
  note: (note: UsageNote) => void,
  publicOrigin?: string,
): Promise<Response> {
  if (request.method !== 'POST') return refuse('wrong-method', 'json', 'only POST', { allow: 'POST' });
  const refused = checkOrigin(request, publicOrigin) ?? checkDeclaredLength(request, bodyLimit);
  if (refused) return refuse(refused.code, 'json', refused.detail);
  const body = await takeBody(request, bodyLimit);
  if ('code' in body) return refuse(body.code, 'json', body.detail);
  const [closedTrace, ...used] = readRequestIds(new TextDecoder().decode(body), idsLimit);
  if (closedTrace === undefined) return refuse('malformed-request', 'json', 'no trace id');
  note({ time: Date.now(), used, closedTrace });
  return new Response(null, { status: 204 });
}
