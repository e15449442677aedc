import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { describeServerWaits, nameSpan, printWords } from '#flight';

import { decodeStored } from '#src/flights/flight/stored-flight.ts';
import { arrangeSpans } from '#src/flights/traces/arrange-spans.ts';
import { unpackSpans } from '#src/flights/traces/pack-spans.ts';

import { createApp, packRecorder, startApp, type WakuApp } from './testing/waku-app.ts';

/**
 * What server components of somebody else's app tell of their time, in its production build: three waits in turn, a request that is sent
 * twice, and a page that waits outside of any Suspense boundary.
 */
const dynamic = `export const getConfig = async () => ({ render: 'dynamic' }) as const;\n`;

/** Lines count. */
const cart = `import { Suspense } from 'react';
const ask = async (what: string): Promise<string> => (await fetch(\`\${process.env.UPSTREAM}/\${what}?token=s3cret\`)).text();
async function Stars() {
  return <p>{await ask('stars')}</p>;
}
export default async function Cart() {
  const user = await ask('user');
  const prices = await ask('prices');
  const orders = await ask(\`orders/\${user}\`);
  return <main><h1>{user + prices + orders}</h1><Suspense fallback="…"><Stars /></Suspense><Suspense fallback="…"><Stars /></Suspense></main>;
}
${dynamic}`;

const save = `async function save(): Promise<void> {
  'use server';
  await fetch(\`\${process.env.UPSTREAM}/saved\`);
}
export default function Save() { return <form action={save}><button>Save</button></form>; }
${dynamic}`;

const config = `
import { flightRecorder } from 'flight-recorder/waku';
import { defineConfig } from 'waku/config';
export default defineConfig({ vite: { plugins: [flightRecorder({ serverTime: true })] } });`;

let tarball: string;
let app: WakuApp;
let upstream: Server;

const delays: Record<string, number> = { user: 60, prices: 80, orders: 40, stars: 50, saved: 30 };

beforeAll(async () => {
  upstream = createServer((request, response) => {
    const [, what = ''] = /^\/(\w+)/.exec(request.url ?? '') ?? [];
    setTimeout(() => response.end(what), delays[what] ?? 0);
  });
  await once(upstream.listen(0, '127.0.0.1'), 'listening');
  tarball = packRecorder();
  app = createApp({
    tarball,
    files: { 'waku.config.ts': config, 'src/pages/cart.tsx': cart, 'src/pages/save.tsx': save },
  });
  app.build();
}, 600_000);

afterAll(() => {
  upstream.closeAllConnections();
  upstream.close();
  app.remove();
  rmSync(path.dirname(tarball), { recursive: true });
});

function start() {
  const address = upstream.address();
  const host = `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  const env = { NODE_ENV: 'production', UPSTREAM: `http://${host}` };
  return { host, running: startApp(app.folder, ['dist/serve-node.js'], { env }) };
}

/** What is kept of the first flight of a path, of that kind. */
function readTime(data: string, ofPath: string, kind: string) {
  const database = new DatabaseSync(path.join(data, 'flights.db'), { readOnly: true });
  try {
    const flight = database
      .prepare('select request_id, started_at, duration_ms from flight where path = ? and kind = ?')
      .get(ofPath, kind);
    if (!flight) return undefined;
    const requestId = String(flight['request_id']);
    const row = database.prepare('select encoding, data from span where trace_id = ?').get(requestId);
    if (!(row?.['data'] instanceof Uint8Array)) return undefined;
    const encoding = row['encoding'] === 'deflate' ? 'deflate' : 'identity';
    const text = new TextDecoder().decode(decodeStored({ encoding, data: row['data'] }));
    const [startedAt, durationMs] = [Number(flight['started_at']), Number(flight['duration_ms'])];
    const time = arrangeSpans(unpackSpans(requestId, text), { requestId, startedAt, durationMs });
    return { bytes: row['data'].length, text, time };
  } finally {
    database.close();
  }
}

test('a page names each of its waits with its line, and each request with its component', async () => {
  const { host, running: starting } = start();
  await using running = await starting;
  expect(await (await fetch(`${running.origin}/cart`)).text()).toContain('userpricesorders');
  await expect.poll(() => readTime(running.data, '/cart', 'document')?.time, { timeout: 20_000 }).toBeDefined();
  const { bytes = 0, text = '', time } = readTime(running.data, '/cart', 'document') ?? {};
  const spans = time?.spans ?? [];
  const lines = spans.map((span) =>
    [span.depth, nameSpan(span), span.place].filter((part) => part !== undefined).join(' '),
  );
  expect(lines).toEqual([
    '0 <Cart> src/pages/cart.tsx:6',
    '1 await ask src/pages/cart.tsx:7',
    `2 GET ${host}/user`,
    '1 await ask src/pages/cart.tsx:8',
    `2 GET ${host}/prices`,
    '1 await ask src/pages/cart.tsx:9',
    `2 GET ${host}/orders/user`,
    ...[0, 1].flatMap(() => [
      '0 <Stars> src/pages/cart.tsx:3',
      '1 await ask src/pages/cart.tsx:4',
      `2 GET ${host}/stars`,
    ]),
  ]);
  expect(spans[0]?.ms).toBeGreaterThan(175);
  expect(text).not.toContain('s3cret');
  expect(bytes).toBeLessThan(1_000);
  const titles = time ? describeServerWaits(time, []).map(({ title }) => printWords(title)) : [];
  const at = (line: number) => `(src/pages/cart.tsx:${line})`;
  expect(titles).toEqual([
    expect.stringMatching(/ of the time, in `<Cart>` \(src\/pages\/cart\.tsx:6\)\.$/),
    // The third uses what the first gave.
    expect.stringMatching(/^`<Cart>` .* waited 2 times in turn, /),
    expect.stringContaining(`\`GET ${host}/stars\` was asked 2 times, `),
  ]);
  expect(titles[1]).toContain(`: \`await ask\` ${at(7)}, \`await ask\` ${at(8)}.`);
  expect(titles[2]).toContain(`, in \`<Stars>\` ${at(3)}.`);
}, 120_000);

test('two at once have their own, and a navigation too', async () => {
  const { running: starting } = start();
  await using running = await starting;
  await Promise.all(['/RSC/R/cart.txt', '/fine'].map(async (at) => (await fetch(running.origin + at)).text()));
  await expect
    .poll(() => readTime(running.data, '/cart', 'navigation')?.time?.spans.length, { timeout: 20_000 })
    .toBe(13);
  expect(readTime(running.data, '/fine', 'document')).toBeUndefined();
}, 120_000);

test('a server function tells its wait', async () => {
  const { host, running: starting } = start();
  await using running = await starting;
  const [, name = ''] = /name="(\$ACTION_ID_[^"]+)"/.exec(await (await fetch(`${running.origin}/save`)).text()) ?? [];
  const body = new FormData();
  body.append(name, '');
  const answer = await fetch(`${running.origin}/save`, { method: 'POST', headers: { origin: running.origin }, body });
  expect(answer.status).toBe(200);
  await answer.text();
  await expect
    .poll(() => readTime(running.data, '/save', 'action')?.time?.spans.map(nameSpan), { timeout: 20_000 })
    .toEqual(['save()', 'await fetch', `GET ${host}/saved`]);
}, 120_000);
