import 'server-only';

import { checkOrigin, type BodyLimit } from '#src/server/http/check-request.ts';
import { usedAtOnce } from '#src/server/http/flight-headers.ts';
import { receive, type Stranger } from '#src/server/http/receive.ts';
import { enterStranger } from '#src/server/http/stranger-places.ts';
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
 * @returns a function that answers a POST
 */
export function createUsageTaker(note: (note: UsageNote) => void, publicOrigin?: string) {
  return receive<Stranger>({
    what: 'usage',
    limit: bodyLimit,
    authorise: (request, address) => checkOrigin(request, publicOrigin) ?? { address },
    enter: enterStranger,
    keep(body) {
      const [closedTrace, ...used] = readRequestIds(new TextDecoder().decode(body), idsLimit);
      if (closedTrace === undefined) return refuse('malformed-request', 'json', 'no trace id');
      note({ time: Date.now(), used, closedTrace });
      return new Response(null, { status: 204 });
    },
    refuse: ({ code, detail, headers }) => refuse(code, 'json', detail, headers),
  });
}
