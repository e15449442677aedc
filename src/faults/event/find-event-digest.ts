import 'server-only';

import { asList, asRecord, type JsonRecord } from '../receive/untrusted-json.ts';
import { readMembers, readPair, readValues } from './event-values.ts';

/**
 * No SDK has a field for React's digest. It is found where those who set one up put it (a tag, extra data), where
 * `extraErrorDataIntegration` puts an error's own properties (a context with the error's name), and, for stock
 * @sentry/nextjs, in the breadcrumb of the console line that Next.js or React wrote about the error:
 * `data.arguments[n].digest`.
 *
 * A console line is about any error of the page. So it counts only when it has the text of this event's own error.
 */
type Described = {
  /** Of the thrown error and its first causes. */
  readonly messages: readonly string[];
};

/** Each line is searched for each message. A report of the SDK has 100 lines of some 100 characters, and up to six messages. */
const mostSearched = 1_000_000;
/** React and Next.js write an error's message at the start of its line. */
const lineSearched = 4_096;

/** Text of a person can be compared by its beginning: SDKs cut long lines. */
const comparedCharacters = 120;
/** `digest` of an error that is control flow (`NEXT_REDIRECT;replace;/login;307;`) is nothing that anybody reads out. */
const controlFlow = /^(?:NEXT_|__WAKU|DYNAMIC_SERVER_USAGE|BAILOUT_)|;/;
/** As docs/sentry-sdks.md describes a digest. */
const printable = /^[!-~](?:[ -~]{0,62}[!-~])?$/;

function readOne(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && printable.test(text) && !controlFlow.test(text) ? text : undefined;
}

function findIn(places: Iterable<unknown>): string | undefined {
  for (const place of places) {
    const digest = readOne(place);
    if (digest !== undefined) return digest;
  }
  return undefined;
}

function* listExtra(event: JsonRecord): Generator<unknown> {
  const extra = asRecord(event['extra']) ?? {};
  yield extra['digest'];
  yield extra['error.digest'];
  for (const [, value] of readMembers(extra, 100)) yield asRecord(value)?.['digest'];
}

function* listContexts(event: JsonRecord): Generator<unknown> {
  for (const [, value] of readMembers(asRecord(event['contexts']) ?? {}, 100)) {
    yield asRecord(value)?.['digest'];
    yield asRecord(value)?.['error.digest'];
  }
}

/** A function that says whether a text is about the error. It says no when it has searched enough. */
function createSearch({ messages }: Described): (text: unknown) => boolean {
  const starts = new Set(
    messages.map((message) => message.slice(0, comparedCharacters)).filter((start) => start !== ''),
  );
  let searched = 0;
  return function isAbout(text) {
    if (typeof text !== 'string') return false;
    const line = text.slice(0, lineSearched);
    for (const start of starts) {
      searched += line.length;
      if (searched > mostSearched) return false;
      if (line.includes(start)) return true;
    }
    return false;
  };
}

/** The latest first. */
function* listConsole(event: JsonRecord, described: Described): Generator<unknown> {
  const isAbout = createSearch(described);
  for (const crumb of readValues(event['breadcrumbs']).toReversed()) {
    if (crumb['category'] !== 'console') continue;
    const values = (asList(asRecord(crumb['data'])?.['arguments']) ?? []).slice(0, 20);
    const digests = values.map(asRecord).filter((argument) => argument?.['digest'] !== undefined);
    if (digests.length === 0) continue;
    const isOfLine = isAbout(crumb['message']);
    for (const argument of digests) if (isOfLine || isAbout(argument?.['message'])) yield argument?.['digest'];
  }
}

export function findEventDigest(event: JsonRecord, described: Described): string | undefined {
  const { tags } = event;
  return (
    findIn([readPair(tags, 'digest'), readPair(tags, 'error.digest')]) ??
    findIn(listContexts(event)) ??
    findIn(listExtra(event)) ??
    findIn(listConsole(event, described))
  );
}
