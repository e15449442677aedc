import { setTimeout as wait } from 'node:timers/promises';

import { isRecord } from '#boundary';

import { choosePages } from '../check-command/read-page-links.ts';
import type { Header } from '../flight-command/arguments.ts';
import { fetchBounded } from '../flight-command/fetch-bounded.ts';
import { complain } from '../flight-command/output.ts';
import type { InputFlight } from '../flight-command/read-input.ts';

/**
 * What a recorder kept of an app, as one of the two that are compared: the documents in a list of its API (docs/api.md), as of one build
 * or the newest. Documents alone, since a navigation's payload leaves out what the tab of its visitor had already. The app is not asked.
 */
export type Recording = {
  /** The pages that were asked for most, of each folder two. */
  readonly paths: readonly string[];
  /** The newest answers of each page that was recorded, a few. They tell what differs from answer to answer. */
  readonly answers: ReadonlyMap<string, readonly RecordedAnswer[]>;
};

export type RecordedAnswer = {
  readonly path: string;
  readonly title: string;
  /** Of its Flight rows. */
  readonly payload: URL;
  readonly sizes: NonNullable<InputFlight['sizes']>;
};

/** A thousand documents are ten requests. */
const maxLists = 10;
const ofList = 100;
const maxPaths = 10;
const answersKept = 3;
/** What an app sent before is another app by now; of a build it is the same. */
const newestMs = 7 * 86_400_000;

/** An address that is a list of flights in a recorder's API. */
export function isRecording(source: string): boolean {
  return URL.canParse(source) && new URL(source).pathname.endsWith('/api/v1/flights');
}

/** The recorder's own token, for its origin alone. */
function listHeaders(): readonly Header[] {
  const token = process.env['FLIGHT_RECORDER_TOKEN'];
  return token === undefined || token === '' ? [] : [['Authorization', `Bearer ${token}`]];
}

/** Two comparisons, one after the other, are more than a recorder answers in a minute. */
const triesMost = 5;
const longestWaitS = 60;

async function ask(url: URL, tries = 1): Promise<Uint8Array> {
  const { status, bytes, headers } = await fetchBounded({ url, headers: [], ownHeaders: listHeaders() });
  if ((status === 429 || status === 503) && tries < triesMost) {
    const asked = Number(headers.get('retry-after') ?? '1');
    const seconds = Math.min(longestWaitS, Number.isFinite(asked) ? asked : 1);
    complain(`${url.host} has too much to do, and is asked again in ${seconds} s`);
    await wait(seconds * 1_000);
    return ask(url, tries + 1);
  }
  if (status === 401) throw new Error('the recorder wants a token in FLIGHT_RECORDER_TOKEN');
  if (status !== 200) throw new Error(`the recorder answers ${status}`);
  return bytes;
}

/** @returns undefined for what is no whole answer of a page with Flight in it */
function readAnswer(value: unknown, list: URL, since: number): RecordedAnswer | undefined {
  if (!isRecord(value)) return undefined;
  const { path, status, content, outcome, isCut, startedAt, self, sizes } = value;
  if (typeof path !== 'string' || typeof self !== 'string' || typeof startedAt !== 'string') return undefined;
  const isWhole = status === 200 && content !== 'none' && outcome === 'complete' && isCut === false;
  if (!isWhole || !(Date.parse(startedAt) >= since)) return undefined;
  const payload = new URL(`${self}/payload`, list);
  // What a list says is from outside: the token goes to no other place.
  if (payload.origin !== list.origin) return undefined;
  const size = (name: string) => {
    const bytes = isRecord(sizes) ? sizes[name] : undefined;
    return typeof bytes === 'number' ? bytes : undefined;
  };
  const title = `document GET ${path} ${status}, recorded ${startedAt}`;
  return { path, title, payload, sizes: { response: size('response'), transferred: size('transferred') } };
}

type Page = { readonly flights: readonly unknown[]; readonly next: URL | undefined };

async function readList(url: URL): Promise<Page> {
  const body: unknown = JSON.parse(new TextDecoder().decode(await ask(url)));
  const flights = isRecord(body) ? body['flights'] : undefined;
  if (!isRecord(body) || !Array.isArray(flights)) throw new Error('it is no list of flights');
  const { next } = body;
  const following = typeof next === 'string' ? new URL(next, url) : undefined;
  return { flights, next: following?.origin === url.origin ? following : undefined };
}

function choosePaths(answers: ReadonlyMap<string, { readonly count: number }>): string[] {
  const byCount = [...answers].toSorted(([, a], [, b]) => b.count - a.count);
  // Only their paths are looked at.
  const urls = byCount.map(([path]) => new URL(path, 'http://recorded.invalid'));
  return choosePages(urls, [], maxPaths).map(({ pathname }) => pathname);
}

/** Reads which documents a recorder kept. @throws in words */
export async function readRecording(source: string): Promise<Recording> {
  const first = new URL(source);
  for (const name of ['sort', 'dir', 'skip', 'before']) first.searchParams.delete(name);
  first.searchParams.set('kind', 'document');
  first.searchParams.set('limit', String(ofList));
  const since = first.searchParams.has('build') ? 0 : Date.now() - newestMs;
  const found = new Map<string, { count: number; readonly answers: RecordedAnswer[] }>();
  let next: URL | undefined = first;
  for (let lists = 0; next && lists < maxLists; lists++) {
    const page: Page = await readList(next);
    const answers = page.flights.flatMap((flight) => readAnswer(flight, first, since) ?? []);
    for (const answer of answers) {
      const ofPath = found.get(answer.path) ?? { count: 0, answers: [] };
      found.set(answer.path, ofPath);
      ofPath.count += 1;
      if (ofPath.answers.length < answersKept) ofPath.answers.push(answer);
    }
    next = page.next;
  }
  if (found.size === 0) throw new Error('it has no document with Flight in it');
  return { paths: choosePaths(found), answers: new Map([...found].map(([path, { answers }]) => [path, answers])) };
}

/** Reads the rows of a recorded answer. @throws in words */
export async function readRecordedFlight({ payload, title, sizes }: RecordedAnswer): Promise<InputFlight> {
  return { title, bytes: await ask(payload), chunks: [], sizes };
}
