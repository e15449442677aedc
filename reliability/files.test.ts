import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { describe, expect, onTestFinished, test } from 'vitest';

import { exchangeRaw } from './testing/exchange-raw.ts';
import { runOperator } from './testing/run-operator.ts';
import { signIn } from './testing/sign-in.ts';
import { startServer, type RunningServer } from './testing/start-server.ts';

/**
 * A file of the build is sent in one of two ways: by the rules that stand beside the middlewares, or through the
 * middlewares. Both must do the same. Every file of this build is asked for by its path, which takes the first way, and by
 * its path with an empty query, which takes the second. What a rule does not let through takes the second way by itself.
 */
const folder = path.join(import.meta.dirname, '../dist/public');
const mark = ['--import', path.join(import.meta.dirname, 'testing/mark-file-answers.ts')];
const trace = 'a'.repeat(32);
const visit = 'b'.repeat(32);

type File = { readonly target: string; readonly isPage: boolean };

function listFiles(): File[] {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.map') && entry.name !== '404.html')
    .map((entry) => `/${path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/')}`);
  return names.map((name) => ({
    target: name.replace(/\/index\.html$/, '') || '/',
    isPage: name.endsWith('.html') || name.startsWith('/RSC/'),
  }));
}

type Answer = {
  readonly status: number;
  readonly sentBy: string | undefined;
  readonly requestId: string;
  /** Without those that differ from request to request; sorted, since their order means nothing. */
  readonly head: readonly string[];
  readonly body: string;
};

type Asked = { readonly method?: string; readonly target: string; readonly headers?: readonly string[] };

async function ask(server: RunningServer, { method = 'GET', target, headers = [] }: Asked): Promise<Answer> {
  const lines = [`Host: ${server.host}`, 'Connection: close', ...headers].join('\r\n');
  const { text, statuses } = await exchangeRaw(server.port, `${method} ${target} HTTP/1.1\r\n${lines}\r\n\r\n`);
  const end = text.indexOf('\r\n\r\n');
  const [, ...head] = text.slice(0, end).split('\r\n');
  function read(name: string): string | undefined {
    return head.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  }
  return {
    status: statuses[0] ?? 0,
    sentBy: read('x-sent-by'),
    requestId: read('x-request-id') ?? '',
    head: head
      .filter((line) => !/^(?:date|x-sent-by): /i.test(line))
      .map((line) => line.replace(/^x-request-id: [0-9a-f]{32}$/, 'x-request-id: (id)'))
      .map((line) => line.replace(/[0-9a-f]{32}-[0-9a-f]{16}"$/, '(trace)"'))
      .toSorted(),
    body: createHash('sha256')
      .update(text.slice(end + 4), 'latin1')
      .digest('hex'),
  };
}

const navigation = ['Accept: text/html,*/*;q=0.8', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Site: none'];

/** By what they are about. None keeps a file from being sent by the rules. */
const requests: Readonly<Record<string, readonly string[]>> = {
  'no headers': [],
  'a navigation': [...navigation, 'Accept-Encoding: gzip, deflate, br, zstd'],
  'a fetch': ['Accept: */*', 'Sec-Fetch-Mode: cors', 'Sec-Fetch-Site: same-origin', 'Accept-Encoding: gzip'],
  'a prefetch': ['X-Flight-Prefetch: 1', 'Accept-Encoding: br'],
  'encodings that are not taken': ['Accept-Encoding: br;q=0, gzip;q=0'],
  'two lists of encodings': ['Accept-Encoding: identity;q=0.1', 'Accept-Encoding: gzip;q=0.2'],
  'anything that is known': ['If-None-Match: *'],
  'what is not known': ['If-None-Match: "x", W/"y"'],
  'a trace and baggage': [`Sentry-Trace: ${trace}-${'c'.repeat(16)}-1`, 'Baggage: a=1'],
  'headers of a proxy': ['X-Forwarded-For: 192.0.2.1', 'X-Request-Id: of-the-client', 'X-Waku-Other: 1'],
  'a range': ['Range: bytes=0-3'],
  'a body that is empty': ['Content-Length: 0'],
};

async function expectSame(server: RunningServer, asked: Asked, name: string): Promise<Answer> {
  const [byRules, byMiddlewares] = [
    await ask(server, asked),
    await ask(server, { ...asked, target: `${asked.target}?` }),
  ];
  const { sentBy, requestId, ...fast } = byRules;
  const { sentBy: otherSentBy, requestId: otherId, ...slow } = byMiddlewares;
  expect([sentBy, otherSentBy], name).toEqual(['rules', 'middlewares']);
  expect(fast, name).toEqual(slow);
  expect(requestId.slice(0, 4), name).toBe(otherId.slice(0, 4));
  return byRules;
}

describe.each([
  ['on', {}],
  ['behind TLS', { BASE_URL: 'https://flight.example' }],
  ['off', { FLIGHT_AUTH: 'off' }],
])('with the login %s', (login, env) => {
  test('every file is the same in both ways, whatever is asked', async () => {
    const dataFolder = mkdtempSync(path.join(tmpdir(), 'flight-recorder-files-'));
    onTestFinished(() => rmSync(dataFolder, { recursive: true }));
    // Without a way to sign in, a server that others can reach does not start.
    if (login === 'behind TLS') await runOperator({ dataFolder, env: { ...process.env, ...env } }, 'login-link');
    await using server = await startServer({ env: { FLIGHT_AUTH: 'on', ...env }, nodeOptions: mark, dataFolder });
    // Cookies of a server with TLS are for its own name alone; there the files for everybody are compared.
    const cookie = login === 'on' ? [`Cookie: ${await signIn(server)}`] : [];
    const files = listFiles();
    expect(files.filter(({ isPage }) => isPage).length).toBeGreaterThan(20);
    for (const { target, isPage } of files) {
      if (isPage && login !== 'on') continue;
      const { head } = await expectSame(server, { target, headers: cookie }, target);
      const etag = head.find((line) => line.startsWith('etag: '))?.slice('etag: '.length) ?? '';
      for (const [name, headers] of Object.entries({ ...requests, 'what is known': [`If-None-Match: W/${etag}`] })) {
        // With the login off, what is asked for as a document is changed on its way out.
        if (login === 'off' && name === 'a navigation') continue;
        const answer = await expectSame(server, { target, headers: [...cookie, ...headers] }, `${target}, ${name}`);
        expect(answer.status, `${target}, ${name}`).toBe(/^(?:what is|anything that is) known/.test(name) ? 304 : 200);
      }
    }
  }, 120_000);
});

test('what a rule does not let through is for the middlewares', async () => {
  await using server = await startServer({ env: { FLIGHT_AUTH: 'on' }, nodeOptions: mark });
  const cookie = `Cookie: ${await signIn(server)}`;
  for (const { target, isPage } of listFiles()) {
    const answers = {
      stranger: await ask(server, { target }),
      'other cookie': await ask(server, { target, headers: ['Cookie: flight=x'] }),
      action: await ask(server, { target, headers: [cookie, 'X-Flight-Action: a/b'] }),
      head: await ask(server, { target, method: 'HEAD', headers: [cookie] }),
    };
    const found = Object.entries(answers).map(([name, { status, sentBy }]) => [name, status, sentBy]);
    const forStrangers = isPage ? [401, 'middlewares'] : [200, 'rules'];
    expect(found, target).toEqual([
      ['stranger', ...forStrangers],
      ['other cookie', ...forStrangers],
      ['action', target.startsWith('/RSC/') ? 200 : 405, 'middlewares'],
      ['head', 200, 'middlewares'],
    ]);
    const get = await ask(server, { target, headers: [cookie] });
    expect(answers.head.head, target).toEqual(get.head);
  }
});

test('with the login off, pages and what is asked for as one go through the middlewares', async () => {
  await using server = await startServer({ env: { FLIGHT_AUTH: 'off' }, nodeOptions: mark });
  for (const { target, isPage } of listFiles()) {
    expect((await ask(server, { target })).sentBy, target).toBe(isPage ? 'middlewares' : 'rules');
    expect((await ask(server, { target, headers: navigation })).sentBy, target).toBe('middlewares');
  }
});

/** Few enough for each of them to be a row of its own: of one file, twenty a second are. */
const recorded = ['no headers', 'a navigation', 'a prefetch', 'anything that is known', 'a trace and baggage'] as const;

function readRows(server: RunningServer): Map<string, Record<string, unknown>> {
  const database = new DatabaseSync(path.join(server.dataFolder, 'flights.db'), { readOnly: true });
  try {
    const rows = database.prepare(
      'select flight.*, hex(body.hash) as hash from flight left join body on body.id = body_id',
    );
    return new Map(rows.all().map((row) => [String(row['request_id']), row]));
  } finally {
    database.close();
  }
}

/** Without what is the request's own. */
function describeRow(row: Record<string, unknown> | undefined): object | undefined {
  if (!row) return undefined;
  const {
    id: _id,
    request_id: _request,
    trace_id,
    started_at: _start,
    duration_ms: _ms,
    chunks_json: _at,
    ...rest
  } = row;
  return { ...rest, first_byte_ms: typeof rest['first_byte_ms'], trace: trace_id === trace };
}

test('every file is recorded in both ways alike, or in neither', async () => {
  await using server = await startServer({ env: { FLIGHT_AUTH: 'on', RECORD: 'all' }, nodeOptions: mark });
  const cookie = `Cookie: ${await signIn(server)}`;
  const pairs: { name: string; isKept: boolean; fast: string; slow: string }[] = [];
  const files = listFiles();
  for (const request of recorded) {
    for (const { target, isPage } of files) {
      const headers = [cookie, `X-Flight-Visit: ${visit}`, ...(requests[request] ?? [])];
      const [fast, slow] = [
        await ask(server, { target, headers }),
        await ask(server, { target: `${target}?`, headers }),
      ];
      expect([fast.sentBy, slow.sentBy]).toEqual(['rules', 'middlewares']);
      // The pages about recordings are not recorded themselves.
      const isKept = isPage && !/^\/(?:RSC\/R\/)?(?:about|decode|protocol)/.test(target);
      pairs.push({ name: `${target}, ${request}`, isKept, fast: fast.requestId, slow: slow.requestId });
    }
  }
  const kept = pairs.filter(({ isKept }) => isKept);
  await expect.poll(() => readRows(server).size, { timeout: 10_000 }).toBe(kept.length * 2);
  const rows = readRows(server);
  for (const { name, isKept, fast, slow } of pairs) {
    expect(rows.has(fast), name).toBe(isKept);
    expect(describeRow(rows.get(fast)), name).toEqual(describeRow(rows.get(slow)));
  }
});

test('where there is no place for a page, there is none for a file that is one, and each is counted once', async () => {
  await using server = await startServer({ env: { FLIGHT_AUTH: 'on' }, nodeOptions: mark });
  const cookie = `Cookie: ${await signIn(server)}`;
  const request = `GET /RSC/R/lab/stalled.txt HTTP/1.1\r\nHost: ${server.host}\r\n${cookie}\r\n\r\n`;
  const sockets = await Promise.all(
    Array.from({ length: 256 }, () => {
      const socket = connect(server.port, '127.0.0.1').on('error', () => undefined);
      socket.write(request);
      return new Promise<Socket>((resolve) => socket.once('data', () => resolve(socket)));
    }),
  );
  const targets = listFiles();
  const pages = targets.filter(({ isPage }) => isPage);
  const from = server.lines().length;
  for (const { target, isPage } of targets) {
    for (const spelling of [target, `${target}?`]) {
      const { status } = await ask(server, { target: spelling, headers: [cookie] });
      expect(status, spelling).toBe(isPage ? 503 : 200);
    }
  }
  for (const socket of sockets) socket.destroy();
  await server.waitForLine(({ event }) => event === 'room-again');
  const told = server.lines().slice(from);
  expect(told.map(({ event }) => event)).toEqual(['too-many-at-once', 'room-again']);
  expect(told[1]?.fields).toMatchObject({ class: 'page', turnedAway: pages.length * 2 });
});
