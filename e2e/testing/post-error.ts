import { randomBytes } from 'node:crypto';

import { expect, type APIRequestContext } from 'playwright/test';

import { addApp } from './add-app.ts';

const keys = new Map<string, Promise<string>>();

function keyOf(app: string): Promise<string> {
  const known = keys.get(app) ?? addApp(app);
  keys.set(app, known);
  return known;
}

type Sent = {
  readonly digest?: string;
  readonly path?: string;
  readonly app?: string;
  readonly message?: string;
  /** Of the function that throws. */
  readonly fn?: string;
  readonly release?: string;
  /** Of what caused it. */
  readonly cause?: string;
  /** Milliseconds since 1970; now where it is not said. */
  readonly time?: number;
};

function createError(sent: Sent, now: number) {
  const { time = now, digest, path = '/orders/7', message = 'no order', fn = 'loadOrder', release, cause } = sent;
  return {
    id: randomBytes(16).toString('hex'),
    time,
    reporter: 'next',
    digest,
    framework: 'next',
    phase: 'rsc',
    kind: 'document',
    route: '/orders/[id]',
    request: { method: 'GET', path },
    name: 'TypeError',
    message,
    release,
    causes:
      cause === undefined
        ? []
        : [{ name: 'Error', message: cause, stack: `Error: ${cause}\n    at connect (/srv/shop/lib/db.js:3:9)` }],
    stack: `TypeError: ${message}`,
    frames: [
      {
        fn,
        file: '/srv/shop/.next/server/app/orders/page.js',
        line: 7,
        column: 9,
        source: 'app/orders/load.ts',
        inApp: true,
        context: {
          firstLine: 6,
          lines: ['export function loadOrder(id) {', "  throw new TypeError('no order');", '}'],
        },
      },
      { fn: 'renderWithHooks', file: '/srv/shop/node_modules/react-dom/server.js', line: 1, column: 1, inApp: false },
      { fn: 'processTicks', file: 'node:internal/process/task_queues', line: 1, column: 1, inApp: false },
    ],
  };
}

/** As many as one request may have. */
const sentAtOnce = 20;

/**
 * As `flight-recorder/next` sends them: of one app, one millisecond after the other. What a busy PostgreSQL does not take at once is kept
 * beside it, and written soon: until then no page has it. Returns the ids of the events.
 */
export async function postErrors(request: APIRequestContext, sent: readonly Sent[], app = 'shop'): Promise<string[]> {
  const first = Date.now() - sent.length;
  const errors = sent.map((error, index) => createError(error, first + index));
  for (let at = 0; at < errors.length; at += sentAtOnce) {
    const part = errors.slice(at, at + sentAtOnce);
    const response = await request.post(`/api/${app}/errors`, {
      headers: { authorization: `Bearer ${await keyOf(app)}` },
      data: { errors: part },
    });
    expect(await response.json()).toEqual({ received: part.length, added: part.length });
  }
  await waitUntilStored(request, errors.at(-1)?.digest);
  return errors.map(({ id }) => id);
}

/** They are written in the order in which they came. To look it up changes nothing. */
async function waitUntilStored(request: APIRequestContext, digest: string | null | undefined): Promise<void> {
  if (!digest) return;
  await expect
    .poll(async () => (await request.get(`/api/v1/errors/${encodeURIComponent(digest)}`)).status(), { timeout: 30_000 })
    .not.toBe(404);
}

/** Returns the id of the event. */
export async function postError(request: APIRequestContext, error: Sent): Promise<string> {
  const [id = ''] = await postErrors(request, [error], error.app);
  return id;
}
