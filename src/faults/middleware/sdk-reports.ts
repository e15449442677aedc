import 'server-only';

import type { Context, MiddlewareHandler } from 'hono';

import { findAppOfProject } from '#src/apps/apps.ts';
import { authoriseSdk, type SdkSender } from '#src/apps/authorise-sender.ts';
import { countPassedOn, refuseSender } from '#src/apps/refuse-sender.ts';
import { parseDsn } from '#src/server/environment/parse-dsn.ts';
import { checkDeclaredLength, type BodyLimit, type Refused } from '#src/server/http/check-request.ts';
import { describeError } from '#boundary';
import { refusedHeader, sideHeader } from '#src/server/http/flight-headers.ts';
import { createReadingPlaces, type ReadingPlace } from '#src/server/http/reading-places.ts';
import { toNetwork } from '#src/server/http/to-network.ts';
import { writeLog } from '#src/server/http/log.ts';
import { receiptCounts } from '#src/server/http/receipt-counts.ts';
import type { Refusal } from '#src/server/http/receive.ts';
import { takeBody } from '#src/server/http/read-body.ts';
import { currentRequest } from '#src/server/http/request-context.ts';
import { splitUrl } from '#src/server/http/request-url.ts';
import { readSdkPath, type SdkPath } from '#src/server/http/sdk-path.ts';
import { createBuckets, sizeInTokens } from '#src/server/http/token-bucket.ts';
import { createTurns } from '#src/server/http/turns.ts';
import { type Coding, codingsTaken, readCoding, unpackBody } from '#src/server/http/unpack-body.ts';
import { ingestEnvelope, ingestEvent, type IngestResult, type Sender } from '#src/faults/receive/ingest-envelope.ts';
import { readEnvelopeDsn } from '#src/faults/receive/read-envelope-dsn.ts';
import { localDsn } from '#src/runtime/reporting/local-dsn.ts';

import { createPace } from '#src/flights/middleware/pace-events.ts';
import { readSdkKey } from './read-sdk-key.ts';
import { describeTooMany, describeUnstored, notKeptLimit, toSdkBody, toSdkHeaders } from './refuse-report.ts';
import { isPackedAgain, unpackStored } from './unpack-stored.ts';

/**
 * Where SDKs of Sentry send what happened in other apps (docs/sentry-sdks.md): envelopes, and the single events of old SDKs. Pages of any
 * origin may post here, since a key is all that counts: no cookie is looked at. The public key makes it an untrusted error, the secret
 * one a server's error.
 *
 * In this order: method, key, rate, coding, declared length, counted length, length after unpacking, the DSN in the
 * envelope. A request without a key in its head may have it in the envelope; it is counted for its address before it is read.
 * The statuses and headers are Relay's, because SDKs understand those: 200 with the event's id after it is on disk.
 */

/** Bugsink takes 20 MiB, Relay 200. The largest envelope without attachments that an SDK sends is an event of a megabyte. */
const wireLimit: BodyLimit = { bytes: 2 * 1024 * 1024, code: 'body-too-large' };
const unpackedBytes = 20 * 1024 * 1024;
/** Of one whose key, if it has any, is in it: an event of a megabyte, and what is sent with it. */
const unpackedKeyless = 2 * 1024 * 1024;
/** What many may unpack at once; of what is larger, one at a time is in memory. */
const unpackedTogether = 256 * 1024;

/** As the tunnel takes of one browser. */
const ofBrowser = { size: 20, perSecond: 2 };

const limits = {
  /**
   * Of those who show a key, with a debt of the largest report: one address sends one in five minutes. All of them together are bounded by
   * the key's limits, so that one app's takes nothing of another's.
   */
  address: { own: ofBrowser, shared: { size: 1_000_000, perSecond: 1_000_000 }, mostDebt: 640 },
  /** Of those who show none in the head: strangers take nothing of the others. */
  keyless: { own: ofBrowser, shared: { size: 400, perSecond: 40 }, divided: 'shared' },
  /**
   * All browsers of one app, so a large report of one leaves no debt in it: several times what the tunnel takes of our own, since an app
   * has more visitors than this server.
   */
  publicKey: { own: { size: 200, perSecond: 20 }, shared: { size: 400, perSecond: 40 }, divided: 'both', mostDebt: 0 },
  /**
   * An app's servers. What two cores can read, scrub, group and store of usual events: above it all apps would wait. Each server has
   * cores of its own.
   */
  secretKey: { own: { size: 5_000, perSecond: 2_500 }, shared: { size: 5_000, perSecond: 2_500 } },
} as const;

/** Relay's list, with what Bugsink adds: https://develop.sentry.dev/sdk/foundations/transport/ */
const corsHeaders = { 'access-control-allow-origin': '*' };
const exposedHeaders = { 'access-control-expose-headers': 'x-sentry-error, x-sentry-rate-limits, retry-after' };
const preflightHeaders = {
  ...corsHeaders,
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers':
    'x-sentry-auth, x-requested-with, x-forwarded-for, origin, referer, accept, content-type, authentication, authorization, content-encoding, transfer-encoding, sentry-trace, baggage',
  'access-control-max-age': '3600',
};

/**
 * How many are read and stored at once, up to 2 MiB each while they are read. What browsers send anybody may send, as slowly as
 * the deadline allows. An SDK on a server has 64 on their way at most, and drops what is refused: one app may have those
 * of two servers.
 */
const placesForBrowsers = { all: 96 };
/** Anybody can send these, from as many networks as they have: they keep nobody out who shows a key. */
const placesForKeyless = { all: 16 };
const placesForServers = { all: 172 };
/** Of each kind, so many with a body of more than 128 KiB. Together it is what a machine with 256 MiB can give. */
const largeTogether = 16;
const busyRetrySeconds = 1;

type Known = Extract<SdkSender, { type: 'known' }> & {
  /** By the app's server, which has shown its secret key: a browser has sent it, whose address nobody here knows. */
  readonly isPassedOn?: boolean;
};

/** @param reason for `X-Sentry-Error` and the body: a text of ours; else it is the code's */
function refuseSdk(app: string | undefined, refusal: Refusal, reason?: string): Response {
  const headers = { ...corsHeaders, ...exposedHeaders, ...toSdkHeaders(refusal, reason) };
  const more = { ...toSdkBody(refusal), ...(reason === undefined ? {} : { detail: reason }) };
  return refuseSender('envelope', app, { ...refusal, headers }, more);
}

/** Returns undefined when the head has no key, but there is such an app: then its body is read for one. */
async function authoriseHead({ req }: Context, { project }: SdkPath): Promise<Known | Refusal | undefined> {
  const found = readSdkKey(req.raw.headers, new URLSearchParams(splitUrl(req.url).search));
  switch (found.type) {
    case 'none':
      return (await findAppOfProject(project))
        ? undefined
        : { code: 'unknown-key', detail: `for the project ${project}` };
    case 'refused':
      return { code: found.code, detail: found.detail };
    case 'key': {
      const sender = await authorise(project, found.key);
      const isBrowsers = req.header(sideHeader) === 'browser' && 'side' in sender && sender.side === 'server';
      if (!isBrowsers || !('app' in sender) || !sender.app) return sender;
      countPassedOn(sender.app.id, req.header(refusedHeader) ?? '');
      return { ...sender, side: 'browser', isPassedOn: true };
    }
  }
}

async function authorise(project: string, key: string): Promise<Known | Refusal> {
  const sender = await authoriseSdk(project, key);
  if (sender.type === 'known') return sender;
  return { code: 'unknown-key', detail: `for the project ${project}`, app: sender.app?.id };
}

function checkHeaders({ req }: Context): Coding | Refusal {
  const coding = readCoding(req.header('content-encoding'));
  if (coding === undefined) {
    const headers = { 'accept-encoding': codingsTaken };
    return { code: 'unsupported-encoding', detail: `Content-Encoding: ${req.header('content-encoding')}`, headers };
  }
  return checkDeclaredLength(req.raw, wireLimit) ?? coding;
}

const local = parseDsn(localDsn);

function isLocalDsn({ key, project }: { readonly key: string; readonly project: string }): boolean {
  return key === local?.publicKey && project === local.project;
}

/** Takes the envelope's word where the head had none, and refuses one that says something else than the head. */
async function checkDsn(
  body: Uint8Array,
  { project, format }: SdkPath,
  known: Known | undefined,
): Promise<Known | Refusal> {
  const none = { type: 'none' } as const;
  const said = format === 'store' ? none : readEnvelopeDsn(body);
  // An SDK must be given a DSN. Inside an app it is one that says nothing, and the app's server names the app.
  const dsn = said.type === 'given' && isLocalDsn(said) ? none : said;
  switch (dsn.type) {
    case 'none':
      return known ?? { code: 'no-key', detail: 'neither in the head nor in the envelope' };
    case 'malformed':
      return { code: 'malformed-request', detail: dsn.detail, app: known?.app.id };
    case 'given': {
      const sender = await authorise(project, dsn.key);
      if (!known || 'code' in sender) return sender;
      // The key was of the address's app already.
      const isSame = [project, String(known.app.number)].includes(dsn.project);
      return isSame ? known : { code: 'malformed-request', detail: 'the envelope has another DSN', app: known.app.id };
    }
  }
}

async function ingest(body: Uint8Array, { format }: SdkPath, sender: Sender): Promise<IngestResult> {
  return format === 'envelope' ? ingestEnvelope(body, sender) : ingestEvent(body, sender);
}

async function keep(c: Context, body: Uint8Array, path: SdkPath, { app, side }: Known): Promise<Response> {
  const sender = { app: app.id, side, userAgent: side === 'browser' ? c.req.header('user-agent') : undefined };
  const result = await ingest(body, path, sender);
  if (result.status === 'refused') {
    const { httpStatus, detail } = result;
    if (httpStatus === 503) return refuseSdk(app.id, describeUnstored(detail));
    return refuseSdk(app.id, { code: 'malformed-request', detail }, detail);
  }
  receiptCounts.add('envelope', 'kept');
  const [id] = result.eventIds;
  const headers = { 'cache-control': 'private, no-store', 'x-sentry-rate-limits': notKeptLimit };
  return c.json(id === undefined ? {} : { id }, 200, { ...headers, ...corsHeaders, ...exposedHeaders });
}

/** Takes what SDKs send, and lets other paths pass. */
export function sdkReports(): MiddlewareHandler {
  const takeOfAddress = createBuckets(limits.address);
  const takeOfKeyless = createBuckets(limits.keyless);
  const takeOfPublicKey = createBuckets(limits.publicKey);
  const takeOfSecretKey = createBuckets(limits.secretKey);
  // One at a time holds more than `unpackedTogether`.
  const takeTurn = createTurns(1);
  const begin = createPace();
  const [browsers, servers] = [createReadingPlaces(placesForBrowsers), createReadingPlaces(placesForServers)];
  const keyless = createReadingPlaces(placesForKeyless);
  const ofLarge = { all: largeTogether };
  const largeBodies = { server: createReadingPlaces(ofLarge), browser: createReadingPlaces(ofLarge) };

  function enterPlace(sender: Known | undefined, giveWay: () => void): ReadingPlace | undefined {
    if (!sender) return keyless.enter(toNetwork(currentRequest()?.address ?? ''), giveWay);
    return (sender.side === 'server' ? servers : browsers).enter(sender.app.id, giveWay);
  }

  /** @returns the seconds to wait */
  function countAddress(): number {
    return takeOfAddress(currentRequest()?.address || undefined);
  }

  function countKey({ app, side, isPassedOn = false }: Known, isCounted: boolean): number {
    if (side === 'server') return takeOfSecretKey(app.id);
    return (isCounted || isPassedOn ? 0 : countAddress()) || takeOfPublicKey(app.id);
  }

  /** Of what anybody may send: a large report takes as much of the processor as many small ones. */
  function countSize({ app, side, isPassedOn = false }: Known, more: number): void {
    if (side === 'server' || more === 0) return;
    if (!isPassedOn) takeOfAddress(currentRequest()?.address || undefined, more);
    takeOfPublicKey(app.id, more);
  }

  async function keepUnpacked(c: Context, body: Uint8Array, path: SdkPath, known: Known | undefined, most: number) {
    const unpacked = path.format === 'store' ? await unpackStored(body, most) : body;
    const sender = await checkDsn(unpacked, path, known);
    if ('code' in sender) return refuseSdk(sender.app, sender, readReason(sender));
    const wait = known ? 0 : countKey(sender, true);
    if (wait > 0) return refuseSdk(sender.app.id, describeTooMany(wait));
    countSize(sender, sizeInTokens(unpacked.byteLength));
    await begin();
    return keep(c, unpacked, path, sender);
  }

  async function takeUnpacked(c: Context, coding: Coding, path: SdkPath, known: Known | undefined): Promise<Response> {
    let large: ReadingPlace | undefined;
    const slow = new AbortController();
    const place = enterPlace(known, () => slow.abort());
    if (!place) return refuseSdk(known?.app.id, busy);
    function enterLarge(): boolean {
      large = largeBodies[known?.side ?? 'browser'].enter(known?.app.id ?? '', () => slow.abort());
      return large !== undefined;
    }
    try {
      const body = await takeBody(c.req.raw, wireLimit, { enterLarge, givenUp: slow.signal });
      if ('code' in body) return refuseSdk(known?.app.id, body.code === 'overloaded' ? busy : body);
      place.keep();
      large?.keep();
      return await takeWhole(c, body, coding, path, known);
    } finally {
      large?.leave();
      place.leave();
    }
  }

  async function takeWhole(
    c: Context,
    body: Uint8Array,
    coding: Coding,
    path: SdkPath,
    known: Known | undefined,
  ): Promise<Response> {
    const most = known ? unpackedBytes : unpackedKeyless;
    const small = await unpackBody(body, coding, unpackedTogether);
    // What is packed once more may be as large as what is large now.
    const isSmall = typeof small !== 'string' && !(path.format === 'store' && isPackedAgain(small));
    if (isSmall) return keepUnpacked(c, small, path, known, most);
    if (small === 'malformed') {
      const malformed = describeMalformed(coding);
      return refuseSdk(known?.app.id, malformed, malformed.detail);
    }
    const leave = await takeTurn(known?.app.id ?? '');
    try {
      const large = await unpackBody(body, coding, most);
      if (typeof large !== 'string') return await keepUnpacked(c, large, path, known, most);
      return refuseSdk(known?.app.id, {
        code: wireLimit.code,
        detail: `more than ${most} bytes, unpacked`,
      });
    } finally {
      leave();
    }
  }

  async function answer(c: Context, path: SdkPath): Promise<Response> {
    if (c.req.method === 'OPTIONS') return new Response(null, { status: 204, headers: preflightHeaders });
    if (c.req.method !== 'POST') {
      return refuseSdk(undefined, { code: 'wrong-method', detail: 'only POST', headers: { allow: 'POST, OPTIONS' } });
    }
    const sender = await authoriseHead(c, path);
    if (sender && 'code' in sender) return refuseSdk(sender.app, sender);
    const wait = sender ? countKey(sender, false) : takeOfKeyless(currentRequest()?.address || undefined);
    if (wait > 0) return refuseSdk(sender?.app.id, describeTooMany(wait));
    const coding = checkHeaders(c);
    if (typeof coding !== 'string') return refuseSdk(sender?.app.id, coding);
    try {
      return await takeUnpacked(c, coding, path, sender);
    } catch (error) {
      writeLog('error', 'report-not-stored', { app: sender?.app.id, reason: describeError(error) });
      return refuseSdk(sender?.app.id, describeUnstored('the report could not be stored'));
    }
  }

  return function sdkReportsMiddleware(c, next) {
    const path = readSdkPath(c.req.path);
    return path ? answer(c, path) : next();
  };
}

const busy: Refusal = {
  code: 'overloaded',
  detail: 'too many at once',
  headers: { 'retry-after': String(busyRetrySeconds) },
};

/** What is wrong with a body is said in words of ours; other details may hold a stranger's. */
function readReason({ code, detail }: Refused): string | undefined {
  return code === 'malformed-request' ? detail : undefined;
}

function describeMalformed(coding: Coding): Refused {
  return { code: 'malformed-request', detail: `the body is not ${coding}` };
}

export function isSdkPath(path: string): boolean {
  return readSdkPath(path) !== undefined;
}
