import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { describe, expect, test } from 'vitest';

import { readRss } from '../bench/process-usage.ts';
import { exchangeRaw } from './testing/exchange-raw.ts';
import { signIn } from './testing/sign-in.ts';
import { startServer, type RunningServer } from './testing/start-server.ts';

/** What strangers, and pages of other sites, could do to the operator without signing in. */
const urlencoded = 'Content-Type: application/x-www-form-urlencoded';

function formatLogin({ host, origin }: RunningServer, length: number): string {
  return `POST /login HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${origin}\r\n${urlencoded}\r\nContent-Length: ${length}\r\n\r\n`;
}

type Slow = { readonly socket: Socket; readonly ended: Promise<string> };

/** Sends the head of a login request and nothing else. Resolves when the server has it. */
async function beginLogin(server: RunningServer): Promise<Slow> {
  const socket = connect(server.port, '127.0.0.1');
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk) => (text += String(chunk)));
  const ended = new Promise<string>((resolve) => socket.on('error', () => undefined).on('close', () => resolve(text)));
  await new Promise<void>((resolve) => socket.write(`${formatLogin(server, 400)}password=`, () => resolve()));
  return { socket, ended };
}

describe('slow logins', () => {
  test('keep neither the operator out nor actions from their places, and are cut after 5 s', async () => {
    await using server = await startServer({ env: { FLIGHT_AUTH: 'on' } });
    const slow: Slow[] = [];
    const begin = performance.now();
    while (slow.length < 40) slow.push(await beginLogin(server));
    // Each has reached the server when this request is answered.
    const health = `GET /healthz HTTP/1.1\r\nHost: ${server.host}\r\nConnection: close\r\n\r\n`;
    expect((await exchangeRaw(server.port, health)).statuses).toEqual([200]);
    expect(await signIn(server)).toMatch(/^flight_/);
    expect(performance.now() - begin).toBeLessThan(4_000);
    const action =
      `POST /lab/actions HTTP/1.1\r\nHost: ${server.host}\r\nOrigin: ${server.origin}\r\nConnection: close\r\n` +
      'Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 5\r\n\r\n--x--';
    expect((await exchangeRaw(server.port, action)).statuses).toEqual([401]);
    const answers = await Promise.all(slow.map(({ ended }) => ended));
    expect(new Set(answers.map((text) => text.slice(0, 12)))).toEqual(new Set(['HTTP/1.1 408']));
    expect(performance.now() - begin).toBeLessThan(15_000);
  }, 30_000);
});

describe('a page of another site', () => {
  const page = '/lab/throw-before-shell';
  const ask = ({ host }: RunningServer, ...headers: string[]) =>
    `GET ${page} HTTP/1.1\r\n${[`Host: ${host}`, 'Connection: close', ...headers].join('\r\n')}\r\n\r\n`;
  const fetchHeaders = (site: string, mode: string, dest: string) => [
    `Sec-Fetch-Site: ${site}`,
    `Sec-Fetch-Mode: ${mode}`,
    `Sec-Fetch-Dest: ${dest}`,
  ];

  test.each([
    ['an image', fetchHeaders('cross-site', 'no-cors', 'image')],
    ['an image of another port', fetchHeaders('same-site', 'no-cors', 'image')],
    ['a script', fetchHeaders('cross-site', 'no-cors', 'script')],
    ['a fetch', fetchHeaders('cross-site', 'cors', 'empty')],
    ['a frame', fetchHeaders('cross-site', 'navigate', 'iframe')],
    ['an object', fetchHeaders('same-site', 'navigate', 'object')],
    ['a page in advance', [...fetchHeaders('cross-site', 'navigate', 'document'), 'Sec-Purpose: prefetch;prerender']],
  ])('that uses what is here as %s makes no error, where the login is off', async (_, headers) => {
    await using server = await startServer();
    const lines = await server.linesAfter(async () => {
      expect((await exchangeRaw(server.port, ask(server, ...headers))).statuses).toEqual([403]);
    });
    expect(lines.map(({ event }) => event)).toEqual(['request-refused']);
  });

  test('may lead here, and this server’s own pages may use what is here', async () => {
    await using server = await startServer();
    for (const headers of [
      fetchHeaders('cross-site', 'navigate', 'document'),
      fetchHeaders('same-site', 'navigate', 'document'),
      fetchHeaders('same-origin', 'no-cors', 'image'),
      fetchHeaders('none', 'navigate', 'document'),
      [],
    ]) {
      expect((await exchangeRaw(server.port, ask(server, ...headers))).statuses).toEqual([500]);
    }
  });
});

describe('the error page of a stranger', () => {
  const env = { FLIGHT_AUTH: 'on', CONTACT_NAME: 'Ada <b>Lovelace', CONTACT_ADDRESS: 'ada@example.org' };

  /** From now on the one page that strangers may see fails. */
  function breakLoginPage({ dataFolder }: RunningServer): void {
    const database = new DatabaseSync(path.join(dataFolder, 'flight.db'), { timeout: 10_000 });
    database.exec('alter table password rename to password_away');
    database.close();
  }

  async function openBroken({ origin }: RunningServer, cookie?: string): Promise<string> {
    const headers = { accept: 'text/html', ...(cookie === undefined ? {} : { cookie }) };
    const answer = await fetch(`${origin}/login`, { headers });
    expect(answer.status).toBe(500);
    expect(answer.headers.get('cache-control')).toBe('private, no-store');
    return answer.text();
  }

  test('names whom to give the digest to, and shows the way to the cause to nobody but the operator', async () => {
    await using server = await startServer({ env });
    const cookie = await signIn(server);
    breakLoginPage(server);
    const stranger = await openBroken(server);
    expect(stranger).toMatch(/mailto:ada@example\.org\?subject=Error%20[0-9A-Z]{5}-[0-9A-Z]{5}/);
    expect(stranger).toContain('Ada &lt;b&gt;Lovelace');
    expect(stranger).not.toContain('Show the cause');
    expect(stranger).not.toContain('password_away');
    expect(await openBroken(server, cookie)).toContain('Show the cause');
    const contact = { name: 'Ada <b>Lovelace', address: 'ada@example.org', href: 'mailto:ada@example.org' };
    const asked = async (headers: Record<string, string>) =>
      (await fetch(`${server.origin}/feedback`, { headers })).json();
    expect(await asked({})).toEqual({ isOperator: false, contact });
    const forged = cookie.replace(/=(.)/, (_, first: string) => (first === 'A' ? '=B' : '=A'));
    expect(await asked({ cookie: forged })).toMatchObject({ isOperator: false });
    expect(await asked({ cookie })).toEqual({ isOperator: true, contact });
  }, 30_000);

  test('what strangers post as feedback reaches the fault, and nothing else', async () => {
    await using server = await startServer({ env });
    breakLoginPage(server);
    const digest = /data-flight-digest="([0-9A-Z]{10})"/.exec(await openBroken(server))?.[1] ?? '';
    const post = async (body: string, headers: Record<string, string> = {}) => {
      const plain = { 'content-type': 'application/x-www-form-urlencoded', origin: server.origin };
      const answer = await fetch(`${server.origin}/feedback`, {
        method: 'POST',
        body,
        headers: { ...plain, ...headers },
      });
      return answer.status;
    };
    const form = new URLSearchParams({ digest, message: 'I only wanted to sign in', path: '/login' }).toString();
    const lines = await server.linesAfter(async () => {
      expect(await post(form, { origin: 'https://evil.test' })).toBe(403);
      expect(await post(form, { 'sec-fetch-site': 'cross-site' })).toBe(403);
      expect(await post(form, { 'content-type': 'text/plain' })).toBe(415);
      expect(await post(`${form}&x=${'x'.repeat(5_000)}`)).toBe(413);
      expect(await post('%ff%00&digest=\u0000')).toBe(400);
      expect(await post(form)).toBe(200);
      expect(await post(form.replace('only', 'really'))).toBe(429);
      for (let n = 0; n < 4; n += 1) await post('digest=none');
      expect(await post(form)).toBe(429);
      const { port, host, origin } = server;
      const head = `POST /feedback HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${origin}\r\n${urlencoded}\r\n`;
      const slow = await exchangeRaw(port, `${head}Content-Length: 40\r\n\r\ndigest=`, { waitMs: 8_000 });
      expect(slow.text).toMatch(/^HTTP\/1\.1 (?:408|429) /);
    });
    const events = new Set(lines.map(({ event }) => event));
    // The stack of the error that is on the page is read meanwhile.
    events.delete('server-error-source');
    expect([...events]).toEqual(['request-refused']);
    const database = new DatabaseSync(path.join(server.dataFolder, 'flight.db'), { timeout: 10_000 });
    const rows = database.prepare('select message, digest, path, fault from feedback').all();
    const fault = database.prepare('select id from fault').get()?.['id'];
    database.close();
    expect(fault).toMatch(/^[0-9a-z]{8}$/);
    expect(rows.map((row) => ({ ...row }))).toEqual([
      { message: 'I only wanted to sign in', digest, path: '/', fault },
    ]);
  }, 30_000);
});

test('cookies of our name, which another port of this host can set for a longer path, do not sign the operator out', async () => {
  await using server = await startServer({ env: { FLIGHT_AUTH: 'on' } });
  const cookie = await signIn(server);
  const [name = ''] = cookie.split('=', 1);
  for (const count of [4, 5, 180]) {
    const others = Array.from({ length: count }, (_, index) => `${name}=${String(index).padStart(43, 'A')}`);
    const request =
      `GET /operator HTTP/1.1\r\nHost: ${server.host}\r\nConnection: close\r\nAccept: text/html\r\n` +
      `Cookie: ${[...others, cookie].join('; ')}\r\n\r\n`;
    expect((await exchangeRaw(server.port, request)).statuses).toEqual([200]);
  }
});

test('a body that breaks after its request was refused has one answer', async () => {
  await using server = await startServer({ env: { FLIGHT_AUTH: 'on' } });
  const lines = await server.linesAfter(async () => {
    const text = await new Promise<string>((resolve, reject) => {
      let received = '';
      let isBroken = false;
      const socket = connect(server.port, '127.0.0.1', () => {
        socket.write(
          `POST /lab/actions HTTP/1.1\r\nHost: ${server.host}\r\nOrigin: ${server.origin}\r\n` +
            'Content-Type: text/plain\r\nX-Flight-Action: a/b\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n',
        );
      });
      socket.setEncoding('latin1').on('data', (chunk) => {
        received += String(chunk);
        if (isBroken || !received.endsWith('}\n')) return;
        isBroken = true;
        socket.write('zz\r\n');
      });
      socket.on('error', reject).on('close', () => resolve(received));
    });
    expect(text.match(/^HTTP\/1\.1 /gm)).toEqual(['HTTP/1.1 ']);
    expect(text).toMatch(/^HTTP\/1\.1 401 /);
  });
  const refused = lines.filter(({ event }) => event === 'request-refused').map(({ fields }) => fields['status']);
  expect(refused).toEqual([401, 400]);
});

/** The settings of the unit. */
const smallBox = { nodeOptions: ['--max-old-space-size=128', '--max-semi-space-size=4'], env: { FLIGHT_AUTH: 'on' } };

/** A body in chunks of one byte, as many as a socket takes at once, until the server closes. @returns the statuses */
async function sendTinyChunks(port: number, target: string, bytes: number): Promise<readonly number[]> {
  const head = `POST ${target} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nTransfer-Encoding: chunked\r\n\r\n`;
  const { statuses } = await exchangeRaw(port, `${head}${'1\r\na\r\n'.repeat(bytes)}0\r\n\r\n`, { waitMs: 10_000 });
  return statuses;
}

describe('a body in chunks of one byte', () => {
  test.each([
    ['/tunnel', 400],
    ['/api/1/envelope/', 403],
    ['/api/999999/envelope/', 403],
  ])('to %s is refused with %i, and costs no memory', async (target, status) => {
    await using server = await startServer(smallBox);
    await exchangeRaw(server.port, `GET /login HTTP/1.1\r\nHost: ${server.host}\r\nConnection: close\r\n\r\n`);
    const before = readRss(server.pid);
    const answers = await Promise.all(Array.from({ length: 12 }, () => sendTinyChunks(server.port, target, 1_000_000)));
    expect(new Set(answers.flat())).toEqual(new Set([status]));
    expect(readRss(server.pid)).toBeLessThan(before + 48);
  });
});
