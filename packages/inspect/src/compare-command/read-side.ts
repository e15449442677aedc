import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';

import { maxFlightBytes } from '#flight';
import { describeError } from '#boundary';

import type { Header } from '../flight-command/arguments.ts';
import { documentHeaders, fetchBounded } from '../flight-command/fetch-bounded.ts';
import { fetchPage } from '../flight-command/fetch-page.ts';
import { readInput, type InputFlight } from '../flight-command/read-input.ts';
import { choosePages, readPageLinks } from '../check-command/read-page-links.ts';
import { isAddress } from './compare-arguments.ts';
import { type Recording, readRecordedFlight } from './read-recording.ts';

/** One of the two that are compared. A route has one answer, or several, which tell what differs from answer to answer. */
export type Side = {
  readonly name: string;
  readonly routes: ReadonlyMap<string, readonly InputFlight[]>;
  /** What could not be fetched or read, a line each. */
  readonly problems: readonly string[];
  /** The routes of a recording. One that it does not have may be there all the same: nobody asked for it. */
  readonly recorded?: { readonly has: (path: string) => boolean };
};

/** Routes that links lead to. With two requests for each of two answers, and two sides, that is a few seconds. */
const maxFound = 10;

/** Files of a folder: an app has some hundred routes. */
const maxFiles = 1000;

/** A page that is compared is asked for twice: what differs between the two is no change of the app. */
const answers = 2;

/** The paths that the first page of an app leads to, with itself. @throws in words when it does not answer */
export async function findRoutes(address: string, headers: readonly Header[]): Promise<string[]> {
  const first = new URL(address);
  const document = await fetchBounded({ url: first, headers: documentHeaders, ownHeaders: headers });
  const { pages } = readPageLinks(new TextDecoder().decode(document.bytes), document.url);
  return [document.url, ...choosePages(pages, [document.url], maxFound - 1)].map(
    ({ pathname, search }) => pathname + search,
  );
}

/** What is compared: a navigation's payload, or the document's where the framework has none; or the document's alone. */
type Compared = 'navigation' | 'document';

/** `/cart/` is `/cart`. */
function isSamePage(one: URL, other: URL): boolean {
  const name = ({ pathname }: URL) => pathname.replace(/\/+$/, '');
  return name(one) === name(other);
}

async function fetchRoute(address: string, headers: readonly Header[], compared: Compared) {
  const { flights, shown, problems, status, url } = await fetchPage(address, headers);
  // The other side has a document of this very page: a page to log in at is no other state of it.
  if (compared === 'document' && url && !isSamePage(url, new URL(address))) {
    return { kind: 'failed', problems: [`${address} leads to ${url.pathname}`] } as const;
  }
  const isOfPage = flights[0]?.pageSource !== undefined;
  const flight = compared === 'navigation' ? flights[shown.at(-1) ?? -1] : isOfPage ? flights[0] : undefined;
  if (status !== undefined && status >= 400) return { kind: 'none', status } as const;
  return flight ? ({ kind: 'flight', flight } as const) : ({ kind: 'failed', problems } as const);
}

/** How the app or the recorder is asked. */
type Asking = {
  readonly headers: readonly Header[];
  readonly compared: Compared;
  readonly tell: (address: string) => void;
};

async function fetchSide(
  address: string,
  paths: readonly string[],
  { headers, compared, tell }: Asking,
): Promise<Side> {
  const routes = new Map<string, InputFlight[]>();
  const problems: string[] = [];
  for (const route of paths) {
    const url = new URL(route, address).href;
    tell(url);
    const flights: InputFlight[] = [];
    for (let answer = 0; answer < answers; answer++) {
      const found = await fetchRoute(url, headers, compared);
      if (found.kind === 'flight') flights.push(found.flight);
      if (found.kind === 'none') problems.push(`${url} answers ${found.status}`);
      if (found.kind === 'failed') problems.push(...found.problems);
      // A second request would say the same.
      if (found.kind !== 'flight') break;
    }
    if (flights.length > 0) routes.set(route, flights);
  }
  return { name: address, routes, problems };
}

/** The recorded answers of these paths, as far as there are some. */
async function readRecorded(
  source: string,
  recording: Recording,
  paths: readonly string[],
  { tell }: Asking,
): Promise<Side> {
  const routes = new Map<string, InputFlight[]>();
  const problems: string[] = [];
  for (const route of paths) {
    const flights: InputFlight[] = [];
    for (const answer of recording.answers.get(route) ?? []) {
      tell(answer.payload.href);
      try {
        flights.push(await readRecordedFlight(answer));
      } catch (error) {
        problems.push(`${answer.title}: ${describeError(error)}`);
      }
    }
    if (flights.length > 0) routes.set(route, flights);
  }
  return { name: source, routes, problems, recorded: recording.answers };
}

/** What of a HAR's title names the same request on both sides: neither the origin, nor what the client made up, nor the status. */
function nameRequest(title: string): string {
  const [, method, address] = /^(?:payload |document )?([A-Z]+) (https?:\/\/\S+)/.exec(title) ?? [];
  if (method === undefined || address === undefined || !URL.canParse(address)) return title;
  const { pathname, searchParams } = new URL(address);
  searchParams.delete('_rsc');
  return `${method} ${pathname}${searchParams.size > 0 ? `?${searchParams.toString()}` : ''}`;
}

/** Each flight of a file under its own name; of several with one name the second is `… #2`. */
function addFlights(routes: Map<string, InputFlight[]>, file: string, flights: readonly InputFlight[]): void {
  for (const flight of flights) {
    const own = flights.length === 1 && file !== '' ? '' : nameRequest(flight.title);
    const name = [file, own].filter((part) => part !== '').join(': ');
    let unique = name;
    for (let count = 2; routes.has(unique); count++) unique = `${name} #${count}`;
    routes.set(unique, [flight]);
  }
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'))
    .toSorted();
}

/** Reads saved responses: every file of a folder is a route, and of one file every flight in it. @throws where it cannot be read */
async function readSaved(source: string): Promise<Side> {
  const isFolder = (await stat(source)).isDirectory();
  const files = isFolder ? await listFiles(source) : [''];
  const routes = new Map<string, InputFlight[]>();
  const problems: string[] = [];
  for (const file of files.slice(0, maxFiles)) {
    const full = path.join(source, file);
    try {
      const { size } = await stat(full);
      if (size > maxFlightBytes) throw new Error('it is larger than 64 MiB');
      const input = await readInput(new Uint8Array(await readFile(full)));
      if (input.kind === 'flights') addFlights(routes, file, input.flights);
      else problems.push(`${full}: ${input.reason}`);
    } catch (error) {
      problems.push(`${full} cannot be read: ${describeError(error)}`);
    }
  }
  if (files.length > maxFiles) problems.push(`${source} has ${files.length} files; the first ${maxFiles} are read`);
  return { name: source, routes, problems };
}

/** @throws in words that say which of the two it is */
export async function naming<T>(source: string, read: Promise<T>): Promise<T> {
  try {
    return await read;
  } catch (error) {
    throw new Error(`${source} cannot be read: ${describeError(error)}`, { cause: error });
  }
}

/**
 * Reads one of the two, whatever it is: these paths of it, and of saved responses all.
 * @param recording what `source` has, where it is a recorder's list. @throws in words where nothing can be read
 */
export function readSide(
  source: string,
  recording: Recording | undefined,
  paths: readonly string[],
  asking: Asking,
): Promise<Side> {
  if (recording) return readRecorded(source, recording, paths, asking);
  return isAddress(source) ? fetchSide(source, paths, asking) : naming(source, readSaved(source));
}
