import { readFlightFile, type FlightFile } from '#flight';
import { encodeText } from '#src/server/http/encode-text.ts';

import { flightLimit } from '../flight/flight-bytes.ts';
import { codecs, kinds, outcomes, renderings, triggers } from '../flight/flight-columns.ts';
import type { FlightHead } from '../flight/flight-head.ts';
import { isFromPath } from '../flight/from-path.ts';
import { isDigest } from '../flight/join-digests.ts';

/**
 * A flight that somebody else recorded and sent: one flight file, checked as strictly as a row of ours. The file's own reader
 * has checked the types (packages/flight); here stand the words that a column may hold, and how long a text may be.
 * A sender is a recorder like this one, so what does not fit is an error of the sender, and is named.
 */
export type ReceivedFlight = {
  readonly head: FlightHead;
  readonly body: { readonly payload: Uint8Array[]; readonly debug: Uint8Array[]; readonly args: Uint8Array };
};

export type ReceivedResult =
  | { readonly type: 'flight'; readonly flight: ReceivedFlight }
  /** `reason` is one sentence for people. */
  | { readonly type: 'malformed'; readonly reason: string };

/** The recorder lists no more chunks one by one (flight-bytes.ts). */
const chunksLimit = 4_096;
/** Node takes 16 KiB of headers in all, the request line included; no page of an app has such a path. */
const pathLimit = 2_000;
/** As request-facts.ts keeps them. */
const namesLimit = 100;
const nameLimit = 300;
/** One for each error row; a page that has more than this says it with the first. */
const digestsLimit = 100;
/** A page from a file is counted by second, and no machine sends more than this in one. */
const hitsLimit = 10_000_000;
/** A tebibyte. Numbers that are added up must stay whole: beyond it a few thousand of them would not. */
const sizeLimit = 2 ** 40;
/** The longest request that any server lets run: a day. */
const longestMs = 86_400_000;

/** Names what does not fit. It never leaves this module. */
class Unfit extends Error {}

function check(isRight: boolean, name: string, rule: string): void {
  if (!isRight) throw new Unfit(`${name} must be ${rule}`);
}

/** One of the words that the column of this name may hold. */
function readWord<Word extends string>(words: readonly Word[], text: string, name: string): Word {
  const word = words.find((known) => known === text);
  if (word === undefined) throw new Unfit(`${name} must be one of ${words.join(', ')}`);
  return word;
}

const idPattern = /^[0-9a-f]{32}$/;
const methodPattern = /^[A-Z]{1,20}$/;
const frameworkPattern = /^[a-z0-9-]{1,40}$/;

function checkText(text: string, name: string, limit: number): string {
  check(text.length <= limit, name, `at most ${limit} characters`);
  return text;
}

function checkWhole(value: number, name: string, most: number): number {
  check(Number.isInteger(value) && value <= most, name, `a whole number of at most ${most}`);
  return value;
}

function checkNames(names: readonly string[], name: string): readonly string[] {
  check(names.length <= namesLimit, name, `a list of at most ${namesLimit}`);
  return names.map((text, index) => checkText(text, `${name}[${index}]`, nameLimit));
}

function checkMs(ms: number, name: string): number {
  check(ms <= longestMs, name, `at most ${longestMs} ms`);
  return ms;
}

function readChunks({ chunks }: FlightFile): FlightHead['chunks'] {
  check(chunks.length <= chunksLimit, 'chunks', `a list of at most ${chunksLimit}`);
  return chunks.map(([ms, bytes], index) => [
    checkMs(ms, `chunks[${index}][0]`),
    checkWhole(bytes, `chunks[${index}][1]`, sizeLimit),
    0,
  ]);
}

/** A sender whose clock is ahead would else have flights that never become too old. */
function readStart(text: string, now: number): number {
  return Math.max(0, Math.min(Date.parse(text), now));
}

function readSize(value: number | null | undefined, name: string): number | null {
  return value === null || value === undefined ? null : checkWhole(value, name, sizeLimit);
}

function readIds({ requestId, traceId, visit }: FlightFile['facts']) {
  check(idPattern.test(requestId), 'facts.requestId', '32 hex digits');
  check(traceId === '' || idPattern.test(traceId), 'facts.traceId', '32 hex digits, or empty');
  check(visit === null || idPattern.test(visit), 'facts.visit', '32 hex digits, or null');
  return { requestId, traceId, visit };
}

function readFramework(framework: string | null | undefined): string | null {
  if (framework === null || framework === undefined) return null;
  check(frameworkPattern.test(framework), 'facts.framework', 'lower-case letters, digits and hyphens');
  return framework;
}

function readFromPath(path: string | null | undefined): string | null {
  if (path === null || path === undefined) return null;
  check(isFromPath(path), 'facts.fromPath', `a path of at most ${pathLimit} printable characters`);
  return path;
}

function readTrigger(trigger: string | null | undefined): FlightHead['trigger'] {
  return trigger === null || trigger === undefined ? null : readWord(triggers, trigger, 'facts.trigger');
}

function readCodec(codec: string | null | undefined): FlightHead['codec'] {
  return codec === null || codec === undefined ? null : readWord(codecs, codec, 'facts.codec');
}

function readDigests(digests: readonly string[]): readonly string[] {
  check(digests.length <= digestsLimit, 'facts.digests', `a list of at most ${digestsLimit}`);
  for (const digest of digests) {
    check(isDigest(digest), 'facts.digests', 'texts of at most 64 printable characters');
  }
  return digests;
}

function readArguments({ arguments: args }: FlightFile) {
  if (!args) return { actionType: null, actionBytes: 0 };
  return {
    actionType: checkText(args.contentType, 'arguments.contentType', nameLimit),
    actionBytes: checkWhole(args.bytes, 'arguments.bytes', sizeLimit),
  };
}

function toHead(file: FlightFile, app: string, now: number): FlightHead {
  const { facts, body, content, debug } = file;
  check(methodPattern.test(facts.method), 'facts.method', 'a method of HTTP');
  const startedAt = readStart(facts.startedAt, now);
  return {
    ...readIds(facts),
    ...readArguments(file),
    kind: readWord(kinds, facts.kind, 'facts.kind'),
    method: facts.method,
    path: checkText(facts.path, 'facts.path', pathLimit),
    query: checkNames(facts.query, 'facts.query').map(encodeText).join('&'),
    route: checkText(facts.route, 'facts.route', pathLimit),
    build: checkText(facts.build, 'facts.build', nameLimit),
    status: checkWhole(facts.status, 'facts.status', 999),
    rendering: readWord(renderings, facts.rendering, 'facts.rendering'),
    content,
    outcome: readWord(outcomes, facts.outcome, 'facts.outcome'),
    startedAt,
    durationMs: checkMs(facts.durationMs, 'facts.durationMs'),
    bytes: checkWhole(facts.bytes, 'facts.bytes', sizeLimit),
    keptBytes: Math.min(body.length, flightLimit),
    debugBytes: debug?.length ?? 0,
    digests: readDigests(facts.digests),
    chunks: readChunks(file),
    elements: checkNames(file.elements, 'elements'),
    elided: checkNames(file.elided, 'elided'),
    actionId: facts.action === null ? null : checkText(facts.action, 'facts.action', nameLimit),
    hits: checkWhole(Math.max(1, facts.hits), 'facts.hits', hitsLimit),
    lastAt: facts.lastAt === null ? null : readStart(facts.lastAt, now),
    hitsBefore: 0,
    // A flight file does not say it.
    parent: null,
    etag: null,
    app,
    source: 'received',
    sentBytes: readSize(facts.sizes?.transferred ?? facts.sentBytes, 'facts.sizes.transferred'),
    knownFramework: readFramework(facts.framework),
    knownDecodedBytes: readSize(facts.sizes?.response ?? facts.decodedBytes, 'facts.sizes.response'),
    knownFirstByteMs: typeof facts.firstByteMs === 'number' ? checkMs(facts.firstByteMs, 'facts.firstByteMs') : null,
    knownFlightBytes: content === 'html' ? readSize(facts.sizes?.flight, 'facts.sizes.flight') : null,
    codec: readCodec(facts.codec),
    fromPath: readFromPath(facts.fromPath),
    trigger: readTrigger(facts.trigger),
    tabBuild: facts.tabBuild ? checkText(facts.tabBuild, 'facts.tabBuild', nameLimit) : null,
    caching: facts.caching ? JSON.stringify(facts.caching) : null,
    // The sender has covered what its requests named.
    secrets: [],
  };
}

/**
 * @param text one flight file
 * @param app under which it was sent; what the file says of its app does not count
 * @param now nothing began after this
 */
export function readReceived(text: string, app: string, now: number): ReceivedResult {
  const result = readFlightFile(text);
  if (result.kind === 'malformed') return { type: 'malformed', reason: result.reason };
  const { file } = result;
  try {
    const head = toHead(file, app, now);
    const body = {
      payload: [file.body.subarray(0, flightLimit)],
      debug: file.debug ? [file.debug.subarray(0, flightLimit)] : [],
      args: file.arguments?.body.subarray(0, flightLimit) ?? new Uint8Array(),
    };
    return { type: 'flight', flight: { head, body } };
  } catch (error) {
    if (!(error instanceof Unfit)) throw error;
    return { type: 'malformed', reason: error.message };
  }
}
