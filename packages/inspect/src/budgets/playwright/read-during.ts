import { setTimeout } from 'node:timers/promises';

import { nameNextRequest, openFlights } from '#flight';

import { type Loaded, nameRequest, openLoaded } from '../open-loaded.ts';

import { findAddress, type Page, type PageRequest, type PageResponse, type RequestEvent } from './read-page.ts';
import { streamBodies, type StreamedBodies } from './stream-bodies.ts';

/**
 * All payloads that a page loads while something is done to it: documents, navigations of the client, prefetches, actions. What
 * the client has from before is not loaded, and so not counted.
 *
 * It begins when the page is quiet: prefetches of the page where the act starts are not of the act.
 * It ends when the act has ended, at least one payload has come, and none is on its way two frames later.
 */

/** After the act: for a payload to begin, and for those that began to end. Playwright's own assertions wait as long. */
const waitMs = 5_000;

/** What a click starts has begun by the second frame: React renders a transition in tasks between them. Hidden pages have no frames. */
const twoFrames =
  'new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); setTimeout(done, 100); })';

/** For the page to be quiet before the act, as long as Playwright's `networkidle` takes it for, and no longer than this. */
const quietMs = 500;
const maxQuietMs = 5_000;

const withPayloads = new Set(['document', 'fetch', 'xhr']);

/** Bodies that hold no Flight; of these an event stream never ends. */
const otherContent =
  /^(?:application\/json|text\/event-stream|text\/css|image\/|font\/|video\/|audio\/|[a-z]+\/javascript)/i;

/** Next.js, Parcel and this project say so; others send plain text, or nothing. */
const flightContent = /^text\/x-component/i;

const events: readonly RequestEvent[] = ['request', 'requestfinished', 'requestfailed'];

type Traffic = {
  readonly bodies: StreamedBodies;
  /** Payloads that came, at least in part, and cannot be read. */
  readonly lost: string[];
  /** In the order in which they began. */
  readonly reads: Promise<Loaded | undefined>[];
  /** Requests that may bring a payload, and are not over. */
  open: number;
  found: number;
  /** Called when one is over. */
  wake: () => void;
};

/** Returns undefined when nobody knows what came of a request that was given up. */
async function readBody(
  traffic: Traffic,
  request: PageRequest,
  response: PageResponse,
): Promise<Uint8Array | undefined> {
  try {
    return await response.body();
  } catch {
    return await traffic.bodies.find(request.method(), request.url());
  }
}

/** What Next.js and browsers say of a request; other routers ask for a prefetch as for a page. */
function readPurpose(request: PageRequest): string | undefined {
  const headers = request.headers();
  if (/prefetch/i.test(headers['sec-purpose'] ?? headers['purpose'] ?? '')) return 'prefetch';
  const kind = nameNextRequest(headers);
  return kind === 'prefetch' || ('rsc' in headers && request.method() === 'GET') ? kind : undefined;
}

/**
 * Says whether the page itself gave the request up: a router does so with prefetches it has no use for, and Next.js with most that stream.
 */
function isGivenUp(request: PageRequest): boolean {
  return /abort|cancel/i.test(request.failure()?.errorText ?? '');
}

async function readFlight(traffic: Traffic, request: PageRequest): Promise<Loaded | undefined> {
  const response = await request.response();
  const status = response?.status() ?? 0;
  const isRedirect = status >= 300 && status < 400;
  const type = response?.headers()['content-type'] ?? '';
  if (!response || isRedirect || otherContent.test(type)) return undefined;
  const purpose = readPurpose(request);
  const name = nameRequest(request.method(), request.url(), { purpose, status });
  const body = await readBody(traffic, request, response);
  if (body) {
    const opened = await openFlights(body);
    const facts = {
      status,
      isDocument: request.resourceType() === 'document',
      isGivenUp: isGivenUp(request),
      address: findAddress(request),
    };
    return opened.kind === 'flights' ? await openLoaded(name, body, facts) : undefined;
  }
  // A prefetch that was given up shows nothing.
  if (flightContent.test(type) && purpose !== 'prefetch') traffic.lost.push(name);
  return undefined;
}

/** At once, as the body is gone when the next document comes. */
function follow(traffic: Traffic, request: PageRequest): void {
  if (!withPayloads.has(request.resourceType())) return;
  traffic.open += 1;
  const read = readFlight(traffic, request)
    // The page was closed, or the act itself failed and says why.
    .catch(() => undefined)
    .then((loaded) => {
      traffic.open -= 1;
      if (loaded) traffic.found += 1;
      traffic.wake();
      return loaded;
    });
  traffic.reads.push(read);
}

/** Until the next request is over, at most `ms`. */
async function waitForChange(traffic: Traffic, ms: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = globalThis.setTimeout(resolve, Math.max(ms, 0));
    traffic.wake = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}

async function waitUntilQuiet(page: Page, traffic: Traffic): Promise<void> {
  const end = performance.now() + waitMs;
  for (;;) {
    const before = traffic.reads.length;
    // A document that is being replaced cannot be asked.
    await page.evaluate(twoFrames).catch(() => undefined);
    if (traffic.open === 0 && traffic.found + traffic.lost.length > 0 && traffic.reads.length === before) return;
    const left = end - performance.now();
    if (left <= 0) break;
    if (traffic.open > 0 || traffic.found === 0) await waitForChange(traffic, Math.min(left, 250));
  }
  if (traffic.open === 0) {
    throw new Error(
      `the page loaded no Flight while the callback ran, nor in the ${waitMs / 1000} s after it: its client may have it from a prefetch; ` +
        'then do what prefetches it in the callback too',
    );
  }
  throw new Error(
    `a payload was still on its way ${waitMs / 1000} s after the callback; wait in it for what the page shows then`,
  );
}

/** Until no request began or ended for a while. A page that never rests is measured as it is. */
async function waitBefore(page: Page): Promise<void> {
  if (!/^https?:/.test(page.url())) return;
  const end = performance.now() + maxQuietMs;
  let last = performance.now();
  const note = (): void => {
    last = performance.now();
  };
  for (const event of events) page.on(event, note);
  try {
    // Tells of requests that began before; but once for each document.
    await page.waitForLoadState('networkidle', { timeout: maxQuietMs }).catch(() => undefined);
    for (;;) {
      const now = performance.now();
      const left = Math.min(last + quietMs, end) - now;
      if (left <= 0) return;
      await setTimeout(left);
    }
  } finally {
    for (const event of events) page.off(event, note);
  }
}

/** @param act what a visitor does; it may wait for what the page shows */
export async function readDuring(page: Page, act: () => unknown): Promise<Loaded> {
  await waitBefore(page);
  const bodies = await streamBodies(() => page.context().newCDPSession(page));
  const traffic: Traffic = { bodies, lost: [], reads: [], open: 0, found: 0, wake: () => undefined };
  const listener = (request: PageRequest): void => follow(traffic, request);
  page.on('request', listener);
  try {
    await act();
    await waitUntilQuiet(page, traffic);
  } finally {
    page.off('request', listener);
    await bodies.stop();
  }
  if (traffic.lost.length > 0) {
    const why = bodies.isTold
      ? 'before its bytes could be read; wait in the callback for what the page shows then'
      : 'whose bytes cannot be read in this browser; Chromium has them';
    throw new Error(`the page gave up ${traffic.lost.join(', ')}, ${why}`);
  }
  const loaded = (await Promise.all(traffic.reads)).filter((one) => one !== undefined);
  const [first] = loaded;
  const name = loaded.length === 1 && first ? first.name : `what ${nameRequest('', page.url()).trim()} loaded`;
  return { name, address: first?.address, flights: loaded.flatMap(({ flights }) => flights) };
}
