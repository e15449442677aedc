import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { expect, test } from 'vitest';

import { exchangeRaw } from './testing/exchange-raw.ts';
import { startServer, type RunningServer } from './testing/start-server.ts';

const watch = ['--import', path.join(import.meta.dirname, 'testing/log-loads.ts')];

/** Somebody else's Sentry: takes envelopes. */
async function openSentry() {
  const received: { readonly url: string; readonly body: string }[] = [];
  const server = createServer(async (request, response) => {
    received.push({ url: request.url ?? '', body: await text(request) });
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('no port');
  return {
    received,
    dsn: `http://abc@127.0.0.1:${address.port}/42`,
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}

/** @returns the digest in the log */
async function fail(server: RunningServer): Promise<string> {
  const target = 'GET /lab/throw-before-shell HTTP/1.1';
  const answer = await exchangeRaw(server.port, `${target}\r\nHost: ${server.host}\r\nConnection: close\r\n\r\n`);
  expect(answer.statuses).toEqual([500]);
  const line = await server.waitForLine(({ event }) => event === 'server-error');
  return String(line.fields['digest']);
}

function countRows({ dataFolder }: RunningServer): unknown {
  const database = new DatabaseSync(path.join(dataFolder, 'flight.db'), { readOnly: true });
  const counts = database
    .prepare(
      `select (select count(*) from event where side = 'server') errors, (select count(*) from event where side = 'browser') reports`,
    )
    .get();
  database.close();
  return { ...counts };
}

test('a server error is one row, and without SENTRY_DSN the SDK is not even loaded', async () => {
  await using server = await startServer({ nodeOptions: watch, env: { SENTRY_DSN: undefined } });
  await fail(server);
  expect(countRows(server)).toEqual({ errors: 1, reports: 0 });
  const loads = server.lines().filter(({ event }) => event === 'loaded');
  expect(loads.length).toBeGreaterThan(3);
  expect(loads.filter(({ fields }) => fields['isSdk'] === true)).toEqual([]);
});

/** An exception that nobody catches, thrown when the test sends the signal. */
const crash = "data:text/javascript,process.on('SIGUSR2', () => { throw new Error('caught by nobody') })";

test('the error that ends the process is a row, and goes to SENTRY_DSN', async () => {
  await using sentry = await openSentry();
  await using server = await startServer({ nodeOptions: ['--import', crash], env: { SENTRY_DSN: sentry.dsn } });
  server.signal('SIGUSR2');
  expect(await server.exited).toEqual({ code: 1, signal: null });
  const { fields } = await server.waitForLine(({ event }) => event === 'server-error');
  expect(countRows(server)).toEqual({ errors: 1, reports: 0 });
  const event: unknown = JSON.parse(sentry.received[0]?.body.split('\n')[2] ?? '');
  expect(event).toMatchObject({ tags: { digest: fields['digest'], phase: 'process' } });
});

test('with SENTRY_DSN a copy goes there, with digest, breadcrumbs and source frames, and it is still one row', async () => {
  await using sentry = await openSentry();
  await using server = await startServer({ nodeOptions: watch, env: { SENTRY_DSN: sentry.dsn } });
  expect(server.lines().some(({ fields }) => fields['isSdk'] === true)).toBe(true);
  const digest = await fail(server);
  const exited = await server.end('SIGTERM');
  expect(exited.code).toBe(0);
  expect(sentry.received.map(({ url }) => url)).toEqual(['/api/42/envelope/']);
  const event: unknown = JSON.parse(sentry.received[0]?.body.split('\n')[2] ?? '');
  expect(event).toMatchObject({
    tags: { digest },
    breadcrumbs: [{ message: 'GET /lab/throw-before-shell (document)' }, { message: 'Rendering began' }],
  });
  expect(JSON.stringify(event)).toContain('src/lab/throw-before-shell.tsx');
  expect(countRows(server)).toEqual({ errors: 1, reports: 0 });
});
