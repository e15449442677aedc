import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';

import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { isRecording, readRecording } from './read-recording.ts';
import { runCompareCommand } from './run-compare-command.ts';

const servers: http.Server[] = [];
let out = '';
let err = '';

beforeEach(() => {
  [out, err] = ['', ''];
  vi.stubEnv('FLIGHT_RECORDER_TOKEN', 'flr_token');
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => ((out += String(text)), true));
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => ((err += String(text)), true));
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  process.stdout.removeAllListeners('error');
  for (const server of servers.splice(0)) server.close();
});

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = http.createServer(answer);
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it has no port');
  return `http://127.0.0.1:${address.port}`;
}

function run(...words: readonly string[]): Promise<number> {
  return runCompareCommand(words, 'flight-recorder compare', async () => '');
}

function rows(title: string): string {
  return `0:["$","main",null,{"children":["$","h1",null,{"children":"${title}"}]}]\n`;
}

type Kept = { readonly path: string; readonly title: string; readonly build?: string; readonly more?: object };

/** A recorder's API, as far as it is asked. The newest is the last of `kept`. */
function record(kept: readonly Kept[], startedAt = new Date().toISOString()): Promise<string> {
  return serve((request, response) => {
    const url = new URL(request.url ?? '/', 'http://recorder.test');
    if (request.headers.authorization !== 'Bearer flr_token') return void response.writeHead(401).end();
    const [, id] = /^\/api\/v1\/flights\/(\d+)\/payload$/.exec(url.pathname) ?? [];
    if (id !== undefined) return void response.end(rows(kept[Number(id)]?.title ?? ''));
    const asked = url.searchParams;
    expect([url.pathname, asked.get('kind'), asked.get('limit')]).toEqual(['/api/v1/flights', 'document', '100']);
    const before = Number(asked.get('before') ?? kept.length);
    const page = kept.map((one, at) => ({ ...one, at })).slice(Math.max(0, before - 2), before);
    const flights = page
      .toReversed()
      .filter(({ build }) => asked.get('build') === null || build === asked.get('build'))
      .map(({ path, at, more }) => {
        const whole = { status: 200, content: 'flight', outcome: 'complete', isCut: false, startedAt };
        const sizes = { flight: 1, response: 900, transferred: 300 };
        return { ...whole, path, sizes, self: `/api/v1/flights/${at}`, ...more };
      });
    const next = before > 2 ? `/api/v1/flights?kind=document&limit=100&before=${before - 2}` : null;
    const build = asked.get('build');
    response.end(JSON.stringify({ flights, next: next && build !== null ? `${next}&build=${build}` : next }));
  });
}

/** A running app whose documents carry their Flight, as Vite's plugin writes it. */
function runApp(titles: Readonly<Record<string, string>>): Promise<string> {
  return serve(({ url = '', headers }, response) => {
    expect(headers.authorization).toBeUndefined();
    const title = titles[url];
    if (title?.startsWith('/')) return void response.writeHead(307, { location: title }).end();
    if (title === undefined) return void response.writeHead(404).end();
    const script = `(self.__FLIGHT_DATA||=[]).push(${JSON.stringify(rows(title))})`;
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html><script>${script}</script>`);
  });
}

test('what was recorded is compared with a running app, document by document', async () => {
  const recorder = await record([
    { path: '/', title: 'Shop' },
    { path: '/', title: 'Shop' },
    { path: '/cart', title: 'Cart' },
    { path: '/gone', title: 'Gone' },
  ]);
  const app = await runApp({ '/': 'Shop', '/cart': 'Basket' });
  expect(await run('--json', `${recorder}/api/v1/flights?app=shop`, app)).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    routes: [
      { path: '/', verdict: 'same', base: { response: 900, transferred: 300 } },
      { path: '/gone', verdict: 'removed' },
      { path: '/cart', verdict: 'changed', changes: ['content of <h1> changed'] },
    ],
    notCompared: [`${app}/gone answers 404`],
  });
});

test('a page that leads to another is no other state of what was recorded', async () => {
  const recorder = await record([
    { path: '/', title: 'Shop' },
    { path: '/account', title: 'Account' },
  ]);
  const app = await runApp({ '/': 'Shop', '/account': '/login', '/login': 'Log in' });
  expect(await run('--json', `${recorder}/api/v1/flights?app=shop`, app)).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    routes: [
      { path: '/account', verdict: 'removed' },
      { path: '/', verdict: 'same' },
    ],
    notCompared: [`${app}/account leads to /login`],
  });
});

test('two recorded builds are compared, and a page that one of them does not have is neither new nor gone', async () => {
  const recorder = await record(
    [
      { path: '/', title: 'Shop', build: 'a' },
      { path: '/old', title: 'Old', build: 'a' },
      { path: '/', title: 'Store', build: 'b' },
      { path: '/new', title: 'New', build: 'b' },
    ],
    // Of a build, however long ago.
    '2026-01-01T00:00:00.000Z',
  );
  const list = (build: string) => `${recorder}/api/v1/flights?build=${build}`;
  expect(await run('--json', list('a'), list('b'))).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    routes: [{ path: '/', verdict: 'changed' }],
    notCompared: [
      `/new has no whole answer of status 200 in ${list('a')}`,
      `/old has no whole answer of status 200 in ${list('b')}`,
    ],
  });
});

test('an answer that says nothing of its page is left out, and what is older than a week', async () => {
  const others = [
    { more: { status: 500 } },
    { more: { isCut: true } },
    { more: { outcome: 'left' } },
    { more: { content: 'none' } },
    { more: { self: 'http://elsewhere.test/api/v1/flights/1' } },
    { more: { startedAt: new Date(Date.now() - 8 * 86_400_000).toISOString() } },
  ].map(({ more }) => ({ path: '/', title: 'no', more }));
  const recorder = await record([...others, ...[1, 2, 3, 4].map((title) => ({ path: '/', title: String(title) }))]);
  const { paths, answers } = await readRecording(`${recorder}/api/v1/flights`);
  expect(paths).toEqual(['/']);
  expect(answers.get('/')?.map(({ payload }) => payload.pathname)).toEqual(
    [9, 8, 7].map((id) => `/api/v1/flights/${id}/payload`),
  );
  const empty = await record(others);
  await expect(readRecording(`${empty}/api/v1/flights`)).rejects.toThrow('it has no document with Flight in it');
});

test('a recorder that has too much to do is asked again', async () => {
  const recorder = await record([{ path: '/', title: 'Shop' }]);
  let refused = 0;
  const busy = await serve((request, response) => {
    if (request.url?.endsWith('/payload') && refused < 2) {
      refused += 1;
      return void response.writeHead(429, { 'retry-after': '0' }).end();
    }
    http.get(`${recorder}${request.url}`, { headers: request.headers }, (answer) => answer.pipe(response));
  });
  const app = await runApp({ '/': 'Shop' });
  expect(await run('--json', `${busy}/api/v1/flights?app=shop`, app)).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ routes: [{ path: '/', verdict: 'same' }], notCompared: [] });
  expect(refused).toBe(2);
  expect(err).toContain(`${new URL(busy).host} has too much to do, and is asked again in 0 s\n`);
});

test('a recorder that wants a token says so', async () => {
  vi.stubEnv('FLIGHT_RECORDER_TOKEN', undefined);
  const recorder = await record([]);
  expect(await run(`${recorder}/api/v1/flights`, recorder)).toBe(2);
  expect(err).toMatch(/^compare: \S+ cannot be read: the recorder wants a token in FLIGHT_RECORDER_TOKEN\n/);
});

test('only the list of an API is a recording', () => {
  expect(['http://a/api/v1/flights?app=b', 'http://a/inside/api/v1/flights'].map(isRecording)).toEqual([true, true]);
  expect(['http://a/api/v1/flights/3', 'http://a/flights', 'api/v1/flights'].map(isRecording)).toEqual([
    false,
    false,
    false,
  ]);
});
