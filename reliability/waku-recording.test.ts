import { createServer, type Server } from 'node:http';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

import { createApp, packRecorder, readDigestIn, startApp, type WakuApp } from './testing/waku-app.ts';

/**
 * What leaves somebody else's app for a recorder elsewhere, and what the app does while that hangs. The recorder here only takes
 * down what comes, so that it can be made to hang. What a real one makes of it is proved in waku-plugin.test.ts.
 */
let tarball: string;
let app: WakuApp;
let recorder: Server;
let posted: { readonly url: string; readonly side: string | undefined; readonly body: string }[];
let isHanging: boolean;

beforeAll(() => {
  tarball = packRecorder();
  app = createApp({ tarball });
  app.build();
}, 600_000);

afterAll(() => {
  app.remove();
  rmSync(path.dirname(tarball), { recursive: true });
});

beforeEach(async () => {
  posted = [];
  isHanging = false;
  recorder = createServer(async (request, response) => {
    const side = request.headers['x-flight-side'];
    posted.push({ url: request.url ?? '', side: String(side ?? ''), body: await text(request) });
    if (!isHanging) response.setHeader('content-type', 'application/json').end(`{"id":"${'a'.repeat(32)}"}`);
  });
  await new Promise<void>((resolve) => recorder.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  recorder.closeAllConnections();
  await new Promise((resolve) => recorder.close(resolve));
});

function start(more: NodeJS.ProcessEnv = {}) {
  const address = recorder.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const env = {
    NODE_ENV: 'production',
    FLIGHT_DATA: 'kept/data',
    FLIGHT_RECORDER: `http://${'k'.repeat(32)}@127.0.0.1:${port}/acme-shop`,
    ...more,
  };
  return startApp(app.folder, ['dist/serve-node.js'], { env, ready: '/fine' });
}

function read(part: string): string[] {
  return posted.flatMap(({ url, body }) => (url === `/api/acme-shop/${part}` ? [body] : []));
}

test('an error is at the recorder before its digest is shown, with all that is known of it', async () => {
  await using running = await start();
  const digest = readDigestIn(await (await fetch(`${running.origin}/in-server`)).text());
  const [sent = '{}'] = read('errors');
  expect(JSON.parse(sent)).toMatchObject({
    errors: [
      {
        reporter: 'waku',
        digest,
        phase: 'rsc',
        kind: 'document',
        message: 'in a server component',
        request: { method: 'GET', path: '/in-server' },
        // Node may have frames of its own below.
        frames: expect.arrayContaining([
          expect.objectContaining({ source: 'src/pages/in-server.tsx', line: 4, inApp: true }),
        ]),
        breadcrumbs: [{ category: 'http' }, { category: 'render' }],
      },
    ],
  });
}, 120_000);

test('a recorder that hangs holds up one page for a moment, and no other', async () => {
  await using running = await start();
  isHanging = true;
  await (await fetch(`${running.origin}/in-server`)).text();
  const begun = performance.now();
  const digests = [];
  for (let n = 0; n < 20; n += 1) {
    digests.push(readDigestIn(await (await fetch(`${running.origin}/in-server`)).text()));
  }
  // Each held for a quarter of a second would be five.
  expect(performance.now() - begun).toBeLessThan(4_000);
  const last = digests.at(-1) ?? '';
  await expect.poll(running.output).toContain(`digest ${last.slice(0, 5)}-${last.slice(5)}`);
}, 120_000);

test('a browser’s error goes on as untrusted, and what is written on an error page with it', async () => {
  await using running = await start();
  const headers = { origin: running.origin, 'sec-fetch-site': 'same-origin' };
  const report = await fetch(`${running.origin}/_flight/tunnel`, { method: 'POST', body: 'an envelope', headers });
  expect([report.status, await report.json()]).toEqual([200, { id: 'a'.repeat(32) }]);
  const body = new URLSearchParams({ digest: '3F7K2M9QRT', message: 'I pressed Buy', path: '/cart' });
  const thanks = await fetch(`${running.origin}/_flight/feedback`, { method: 'POST', body, headers });
  expect([thanks.status, await thanks.text()]).toEqual([200, expect.stringContaining('3F7K2-M9QRT')]);
  const envelopes = posted.filter(({ url }) => url === '/api/acme-shop/envelope/');
  expect(envelopes.map(({ side }) => side)).toEqual(['browser', 'browser']);
  expect(envelopes.map((each) => each.body)).toEqual(['an envelope', expect.stringContaining('"I pressed Buy"')]);
}, 120_000);

test('what browsers send may come from the address that people use, where a proxy changes the name', async () => {
  await using running = await start({ FLIGHT_BASE_URL: 'https://shop.example' });
  async function send(origin: string): Promise<number> {
    const headers = { origin, 'sec-fetch-site': 'same-origin' };
    const answer = await fetch(`${running.origin}/_flight/tunnel`, { method: 'POST', body: 'an envelope', headers });
    return answer.status;
  }
  expect([await send('https://shop.example'), await send('https://evil.example')]).toEqual([200, 403]);
}, 120_000);

test('flights are sent on, and wait in the data folder that was named', async () => {
  await using running = await start();
  await (await fetch(`${running.origin}/fine`)).text();
  await expect.poll(() => read('flights').length, { timeout: 20_000 }).toBeGreaterThan(0);
  const folder = path.join(app.folder, 'kept/data');
  expect(existsSync(path.join(folder, 'spool-acme-shop/flights.db'))).toBe(true);
  expect(readFileSync(path.join(folder, '.gitignore'), 'utf8')).toBe('*\n');
  expect(existsSync(running.data)).toBe(false);
}, 120_000);
