import 'server-only';

import { isRecord } from '#boundary';
import type { ErrorCode } from '#src/server/http/error-codes.ts';
import { checkOrigin, type BodyLimit } from '#src/server/http/check-request.ts';
import { createStrangerPlaces } from '#src/server/http/stranger-places.ts';
import { receive, type Refusal, type Stranger } from '#src/server/http/receive.ts';
import { refuse } from '#src/server/http/refuse.ts';
import { createBuckets } from '#src/server/http/token-bucket.ts';
import { prefetchTriggers } from '#src/server/http/flight-headers.ts';
import { isRequestId } from '../flight/request-facts.ts';
import { cutText, readVitals } from '#src/flights/vitals/vitals.ts';
import type { ReportedLink, ReportedUse, ReportedVitals } from '#src/flights/writer/flight-writer.ts';

/** As many as a beacon of the module has in each list (packages/report/src/browser/prefetches.ts). */
const listLimit = 100;
/** As much as a beacon takes. */
const bodyLimit: BodyLimit = { bytes: 64 * 1024, code: 'body-too-large' };

const limits = {
  /** Some people behind one address, in several tabs, on pages with many links. A tab tells at most once in three seconds. */
  own: { size: 100, perSecond: 10 },
  /** Each message is some hundred updates at most, in a thread of their own. */
  shared: { size: 200, perSecond: 40 },
  divided: 'shared',
} as const;

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, listLimit) : [];
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function readIds(value: unknown): readonly string[] {
  return listOf(value).filter(isText).filter(isRequestId);
}

function readLink(value: unknown): readonly ReportedLink[] {
  const [id, word, text, place] = listOf(value);
  const trigger = prefetchTriggers.find((known) => known === word);
  if (!isText(id) || !isRequestId(id) || !trigger || !isText(text) || !isText(place)) return [];
  return [{ id, trigger, text: cutText(text), place: cutText(place) }];
}

function readDocument(told: unknown): ReportedVitals | undefined {
  const vitals = readVitals(told);
  const id = isRecord(told) ? told['id'] : undefined;
  return vitals && isText(id) && isRequestId(id) ? { id, vitals } : undefined;
}

/** @returns undefined where it is not what a page sends */
function readReported(body: Uint8Array): Omit<ReportedUse, 'app'> | undefined {
  let told: unknown;
  try {
    told = JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
  if (!isRecord(told)) return undefined;
  const { used, unused, clicks, links, vitals } = told;
  const ofDocument = vitals === undefined ? undefined : readDocument(vitals);
  if (vitals !== undefined && !ofDocument) return undefined;
  return {
    used: readIds(used),
    unused: readIds(unused),
    clicks: readIds(clicks),
    links: listOf(links).flatMap(readLink),
    vitals: ofDocument,
  };
}

type ReportedUseTaker = {
  readonly note: (told: Omit<ReportedUse, 'app'>) => void;
  /** As for `checkOrigin`. */
  readonly publicOrigin?: string | undefined;
  /** Told of each that is not taken. */
  readonly onRefused?: (code: ErrorCode) => void;
};

/**
 * What a page of another app says became of its prefetches, which requests were no prefetches, for which links they were, and how fast
 * the page itself was. Each part is there only where there is something:
 *
 *     {"used":[<id>],"unused":[<id>],"clicks":[<id>],"links":[[<id>,<trigger>,<text>,<place>]],"vitals":{"id":<id>,…}}
 *
 * An id has 128 random bits that only the browser which made the request was told. It is written into the recording, and nothing is read.
 *
 * @returns a function that answers a POST; `address` is the browser's, where it is known
 */
export function createReportedUseTaker({ note, publicOrigin, onRefused }: ReportedUseTaker) {
  const takeToken = createBuckets(limits);
  function refuseOne({ code, detail, headers }: Refusal): Response {
    onRefused?.(code);
    return refuse(code, 'json', detail, headers);
  }
  return receive<Stranger>({
    what: 'reported-use',
    limit: bodyLimit,
    authorise: (request, address) => checkOrigin(request, publicOrigin) ?? { address },
    wait: ({ address }) => takeToken(address || undefined),
    enter: createStrangerPlaces(64),
    keep(body) {
      const told = readReported(body);
      if (!told) return refuseOne({ code: 'malformed-request', detail: 'not what a page tells' });
      note(told);
      return new Response(null, { status: 204 });
    },
    refuse: refuseOne,
  });
}
