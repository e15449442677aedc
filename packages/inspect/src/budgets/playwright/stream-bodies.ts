import { setTimeout } from 'node:timers/promises';

import { isRecord } from '#boundary';

/**
 * Bodies as they come, of Chromium. A browser keeps the body of a response that ended; a router may give a response up when the last
 * row it waited for is there, and Next.js does so with most that stream. Then nobody can ask for the body, though all of
 * it came. Chromium's protocol tells the bytes of such a response while they come.
 *
 * Other browsers have no such protocol: there, what was given up cannot be read.
 */
export type Session = {
  readonly send: (method: string, params?: object) => Promise<unknown>;
  readonly on: (event: string, listener: (params: unknown) => void) => unknown;
  readonly detach: () => Promise<void>;
};

export type StreamedBodies = {
  /** Whether this browser tells the bytes. */
  readonly isTold: boolean;
  /** What came of the last such request, which is over: maybe nothing. Undefined when it is not known. */
  readonly find: (method: string, url: string) => Promise<Uint8Array | undefined>;
  readonly stop: () => Promise<void>;
};

/** `came` counts all bytes, also those that came before anybody could ask for them. */
type Body = { readonly key: string; readonly pieces: Uint8Array[]; came: number; isOver: boolean };

/** The browser tells Playwright and this session of the same end, in no order. */
const endMs = 1_000;

/** What is not in the protocol's form is as good as not sent. */
function readText(params: unknown, ...path: readonly string[]): string {
  let value = params;
  for (const key of path) value = isRecord(value) ? value[key] : undefined;
  return typeof value === 'string' ? value : '';
}

function addPiece(body: Body, params: unknown): void {
  const length = isRecord(params) ? params['dataLength'] : undefined;
  if (typeof length === 'number') body.came += length;
  const data = readText(params, 'data');
  if (data !== '') body.pieces.push(new Uint8Array(Buffer.from(data, 'base64')));
}

/** Asks for the events with data. What came before the answer is in the answer; a response that is over has its body. */
async function keepBegin(session: Session, requestId: string, body: Body): Promise<void> {
  const answer = await session.send('Network.streamResourceContent', { requestId }).catch(() => undefined);
  const data = readText(answer, 'bufferedData');
  if (data !== '') body.pieces.unshift(new Uint8Array(Buffer.from(data, 'base64')));
}

/** @param open of the page; it rejects in browsers other than Chromium */
export async function streamBodies(open: () => Promise<Session>): Promise<StreamedBodies> {
  const bodies = new Map<string, Body>();
  const begins = new Set<Promise<void>>();
  let session: Session;
  try {
    session = await open();
    await session.send('Network.enable');
  } catch {
    return { isTold: false, find: () => Promise.resolve(undefined), stop: () => Promise.resolve() };
  }
  session.on('Network.requestWillBeSent', (params) => {
    const key = `${readText(params, 'request', 'method')} ${readText(params, 'request', 'url')}`;
    bodies.set(readText(params, 'requestId'), { key, pieces: [], came: 0, isOver: false });
  });
  session.on('Network.responseReceived', (params) => {
    const requestId = readText(params, 'requestId');
    const body = bodies.get(requestId);
    if (!body || !/^(?:Fetch|XHR)$/.test(readText(params, 'type'))) return;
    begins.add(keepBegin(session, requestId, body));
  });
  for (const event of ['Network.loadingFailed', 'Network.loadingFinished']) {
    session.on(event, (params) => {
      const body = bodies.get(readText(params, 'requestId'));
      if (body) body.isOver = true;
    });
  }
  session.on('Network.dataReceived', (params) => {
    const body = bodies.get(readText(params, 'requestId'));
    if (body) addPiece(body, params);
  });
  return {
    isTold: true,
    async find(method, url) {
      const key = `${method} ${url}`;
      const end = performance.now() + endMs;
      while (performance.now() < end && ![...bodies.values()].some((body) => body.key === key && body.isOver)) {
        await setTimeout(10);
      }
      await Promise.all(begins);
      const same = [...bodies.values()].filter((body) => body.key === key);
      const found = same.findLast(({ pieces }) => pieces.length > 0) ?? same.at(-1);
      if (!found || (found.came > 0 && found.pieces.length === 0)) return undefined;
      return new Uint8Array(Buffer.concat(found.pieces));
    },
    stop: () => session.detach().catch(() => undefined),
  };
}
