import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { serverVariable } from './testing/databases.ts';
import { runOperator } from './testing/run-operator.ts';
import { StartFailure, startServer, type RunningServer, type StartOptions } from './testing/start-server.ts';

/** How an operator signs in, from an empty folder on: on one's own machine, and where others can reach the server. */
let dataFolder: string;
const onPostgres = process.env[serverVariable] !== undefined;
const beyond = { HOST: '0.0.0.0', BASE_URL: 'https://flight.example', FLIGHT_AUTH: 'on' };
const linkPattern = /\/login#([\w-]{43})/;

beforeEach(() => {
  dataFolder = mkdtempSync(path.join(tmpdir(), 'flight-way-in-'));
});

afterEach(() => rmSync(dataFolder, { recursive: true }));

async function logIn(server: RunningServer, code: string, host = server.host, origin = server.origin) {
  const body = new URLSearchParams({ code }).toString();
  const headers = {
    host,
    origin,
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': String(body.length),
  };
  return await new Promise<{ status: number | undefined; cookie: string }>((resolve, reject) => {
    const sent = request({
      host: '127.0.0.1',
      port: server.port,
      method: 'POST',
      path: '/login',
      headers,
      agent: false,
    });
    sent.on('response', (response) => {
      response.resume();
      resolve({ status: response.statusCode, cookie: response.headers['set-cookie']?.[0] ?? '' });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

async function failToStart(options: StartOptions): Promise<StartFailure> {
  const started = await startServer(options).catch((error: unknown) => error);
  if (started instanceof StartFailure) return started;
  throw new Error('it started');
}

test('on one’s own machine the start prints one link, which signs in once', async () => {
  await using server = await startServer({ dataFolder, env: { FLIGHT_AUTH: 'on' } });
  const { text } = await server.waitForLine((line) => linkPattern.test(line.text));
  expect(text).toBe(`Sign in with ${server.origin}${linkPattern.exec(text)?.[0]} (once, within 15 minutes)`);
  expect(server.lines().filter((line) => linkPattern.test(line.text))).toHaveLength(1);
  const code = linkPattern.exec(text)?.[1] ?? '';
  const first = await logIn(server, code);
  expect(first.status).toBe(303);
  expect(first.cookie).toMatch(
    new RegExp(`^flight_${server.port}=[\\w-]{43}; Path=/; Max-Age=2419200; HttpOnly; SameSite=Lax$`),
  );
  expect((await logIn(server, code)).status).toBe(401);
});

test('a server that others can reach does not start before there is a way in, and says how to make one', async () => {
  const { exit, output } = await failToStart({ dataFolder, env: { ...beyond, FLIGHT_OPERATOR: 'flight-operator' } });
  expect(exit.code).toBe(1);
  expect(output).toMatch(/^flight-recorder: other machines .*"flight-operator login-link".*password set.*$/m);
  expect(output).not.toMatch(linkPattern);
});

test('the command line makes the way in before the first start, and it stays one over every later start', async () => {
  const env = { ...process.env, ...beyond };
  const made = await runOperator({ dataFolder, env }, 'login-link');
  expect(made.output).toMatch(/^https:\/\/flight\.example\/login#[\w-]{43}\n$/);
  const code = linkPattern.exec(made.output)?.[1] ?? '';
  {
    await using server = await startServer({ dataFolder, env: beyond });
    const signedIn = await logIn(server, code, 'flight.example', 'https://flight.example');
    expect(signedIn.status).toBe(303);
    expect(signedIn.cookie).toMatch(
      /^__Host-flight=[\w-]{43}; Path=\/; Max-Age=2419200; HttpOnly; SameSite=Lax; Secure$/,
    );
    expect(server.lines().filter((line) => linkPattern.test(line.text))).toEqual([]);
    await server.end('SIGTERM');
  }
  expect((await runOperator(dataFolder, 'sessions', 'revoke', '--all')).output).toBe('1 session ended.\n');
  await using again = await startServer({ dataFolder, env: beyond });
  expect((await logIn(again, code, 'flight.example', 'https://flight.example')).status).toBe(401);
});

type Sent = { readonly method: string; readonly path: string; readonly cookie: string; readonly body?: FormData };

/** As a browser at `https://flight.example` sends it through the proxy. */
async function ask({ port }: RunningServer, { method, path: at, cookie, body }: Sent): Promise<string> {
  const encoded = body && new Response(body);
  const bytes = Buffer.from((await encoded?.arrayBuffer()) ?? new ArrayBuffer(0));
  const type = encoded?.headers.get('content-type');
  const headers = {
    cookie,
    host: 'flight.example',
    origin: 'https://flight.example',
    accept: 'text/html',
    ...(type ? { 'content-type': type, 'content-length': String(bytes.length) } : {}),
  };
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, method, path: at, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => (text += part));
      response.on('end', () => resolve(text));
    });
    sent.on('error', reject);
    sent.end(bytes);
  });
}

test('a link for another device is made on the operator’s page, shown once, with a code for a camera', async () => {
  const made = await runOperator({ dataFolder, env: { ...process.env, ...beyond } }, 'login-link');
  await using server = await startServer({ dataFolder, env: beyond });
  const enter = (code: string) => logIn(server, code, 'flight.example', 'https://flight.example');
  const cookie = (await enter(linkPattern.exec(made.output)?.[1] ?? '')).cookie.split(';', 1)[0] ?? '';
  const before = await ask(server, { method: 'GET', path: '/operator', cookie });
  expect(before).not.toMatch(linkPattern);
  // The form of the button, as it is without JavaScript.
  const form = before.split('<form').find((part) => part.includes('Make a link for another device')) ?? '';
  const action = /name="(\$ACTION_ID_[^"]+)"/.exec(form)?.[1] ?? '';
  const body = new FormData();
  body.set(action, '');
  const answer = await ask(server, { method: 'POST', path: '/operator', cookie, body });
  const [link = '', code = ''] = /https:\/\/flight\.example\/login#([\w-]{43})/.exec(answer) ?? [];
  expect(link).not.toBe('');
  expect(answer).toMatch(/<svg[^>]*aria-label="QR code of the login link"/);
  expect(await ask(server, { method: 'GET', path: '/operator', cookie })).not.toMatch(linkPattern);
  expect(server.lines().filter((line) => JSON.stringify(line).includes(code))).toEqual([]);
  expect((await enter(code)).status).toBe(303);
  expect((await enter(code)).status).toBe(401);
});

test('a password is a way in, too', async () => {
  const set = await runOperator({ dataFolder, input: 'heron ladder seventeen\n' }, 'password', 'set');
  expect(set).toMatchObject({ code: 0, output: 'The password is set.\n' });
  await using server = await startServer({ dataFolder, env: beyond });
  const texts = server.lines().map((line) => line.text);
  expect(texts).toContain('For a login link: npx . login-link');
});

test('the command line refuses a password that is worth nothing, and changes nothing', async () => {
  for (const input of ['short\n', 'password1234\n', '\n', '']) {
    const { code, output, errors } = await runOperator({ dataFolder, input }, 'password', 'set');
    expect([code, output]).toEqual([1, '']);
    expect(errors).toMatch(/^flight-recorder: [^\n]+\n$/);
  }
  const { exit } = await failToStart({ dataFolder, env: beyond });
  expect(exit.code).toBe(1);
});

test('losing the database opens nothing', async () => {
  await using server = await startServer({ dataFolder, env: { FLIGHT_AUTH: 'on' } });
  await server.waitForLine((line) => linkPattern.test(line.text));
  for (const target of ['/', '/login', '/operator']) {
    const response = await fetch(server.origin + target, { redirect: 'manual' });
    expect(response.status).toBe(target === '/login' ? 200 : 401);
    expect(await response.text()).not.toMatch(linkPattern);
  }
  expect((await logIn(server, '')).status).toBe(400);
});

test('sessions are listed and revoked from outside while the server runs', async () => {
  await using server = await startServer({ dataFolder, env: { FLIGHT_AUTH: 'on' } });
  expect((await runOperator(dataFolder, 'sessions', 'list')).output).toBe('Nobody is signed in.\n');
  const made = await runOperator(dataFolder, 'login-link');
  expect(made.output.startsWith(`${server.origin}/login#`)).toBe(true);
  const { cookie } = await logIn(server, linkPattern.exec(made.output)?.[1] ?? '');
  const headers = { cookie: cookie.split(';', 1)[0] ?? '' };
  expect((await fetch(`${server.origin}/runtime`, { headers })).status).toBe(200);
  const listed = await runOperator(dataFolder, 'sessions', 'list');
  const id = /^([0-9a-f]{12}) {2}link {6}opened .*Z {2}seen .*Z {2}127\.0\.0\.1 {2}\n$/.exec(listed.output)?.[1] ?? '';
  expect((await runOperator(dataFolder, 'sessions', 'revoke', 'ffffffff')).errors).toContain('there is no session');
  expect(await runOperator(dataFolder, 'sessions', 'revoke', id)).toMatchObject({
    code: 0,
    output: '1 session ended.\n',
  });
  // SQLite is asked at each request. PostgreSQL tells of it, within a second.
  const askAgain = async () => (await fetch(`${server.origin}/runtime`, { headers, redirect: 'manual' })).status;
  if (onPostgres) await expect.poll(askAgain, { timeout: 2_000 }).toBe(401);
  else expect(await askAgain()).toBe(401);
});
