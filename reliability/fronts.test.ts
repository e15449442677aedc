import { request, type RequestOptions } from 'node:https';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { readActionFile } from '../bench/read-action-file.ts';
import { isInstalled, startFront, type Front, type FrontName } from './testing/fronts.ts';
import { runOperator } from './testing/run-operator.ts';
import { findFreePort, startServer, type RunningServer } from './testing/start-server.ts';

/**
 * The fronts of `deploy/` before the built app, over TLS, as docs/hosting.md sets them up. Where nginx or Caddy is not
 * installed, the tests of that front are skipped.
 */
type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** Milliseconds from the first byte of the body to its end. */
  readonly streamedMs: number;
};

type Ask = { readonly method?: string; readonly headers?: Record<string, string>; readonly body?: string | Buffer };

/** An address of this machine other than the proxy's, so that the two can be distinguished. */
const clientAddress = '127.0.0.2';

function toOptions(front: Front, target: string, { method = 'GET', headers = {} }: Ask): RequestOptions {
  return {
    host: '127.0.0.1',
    servername: 'localhost',
    port: front.port,
    localAddress: clientAddress,
    ca: front.certificate,
    agent: false,
    method,
    path: target,
    headers: { host: `localhost:${front.port}`, ...(method === 'POST' ? { origin: front.origin } : {}), ...headers },
  };
}

function ask(front: Front, target: string, asked: Ask = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(toOptions(front, target, asked), (response) => {
      const chunks: Buffer[] = [];
      let firstAt = Number.NaN;
      response.on('data', (chunk: Buffer) => {
        if (chunks.length === 0) firstAt = performance.now();
        chunks.push(chunk);
      });
      response.on('error', reject).on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const streamedMs = performance.now() - firstAt;
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text, streamedMs });
      });
    });
    sent.on('error', reject).end(asked.body);
  });
}

type Behind = {
  readonly server: RunningServer;
  readonly front: Front;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

async function startBehind(name: FrontName): Promise<Behind> {
  const port = await findFreePort();
  const env = { FLIGHT_AUTH: undefined, BASE_URL: `https://localhost:${port}`, TRUSTED_PROXIES: '127.0.0.1/32' };
  const server = await startServer({ env });
  const front = await startFront(name, port, server.port);
  async function stop(): Promise<void> {
    await front[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  }
  return { server, front, [Symbol.asyncDispose]: stop };
}

const urlencoded = { 'content-type': 'application/x-www-form-urlencoded' };

async function signIn({ server, front }: Behind): Promise<{ cookie: string; setCookie: string }> {
  const { output } = await runOperator(server.dataFolder, 'login-link');
  expect(output).toContain(`${front.origin}/login#`);
  const code = /#([\w-]+)/.exec(output)?.[1] ?? '';
  // The app must not use what a client writes into the proxy's headers.
  const headers = {
    ...urlencoded,
    'x-forwarded-for': '203.0.113.9',
    forwarded: 'for=203.0.113.9',
    'x-real-ip': '203.0.113.9',
  };
  const answer = await ask(front, '/login', { method: 'POST', headers, body: `code=${code}` });
  expect([answer.status, answer.headers['location']]).toEqual([303, '/']);
  const [setCookie = ''] = answer.headers['set-cookie'] ?? [];
  return { cookie: setCookie.split(';')[0] ?? '', setCookie };
}

/** The id of the lab's `addNumbers`, as the client's code sends it. */
function nameAddNumbers(): string {
  return `${readActionFile(path.join(import.meta.dirname, '../dist'), 'addNumbers')}/addNumbers`;
}

/** What a browser without JavaScript sends for the form with this label: its hidden fields. */
function readFields(html: string, label: string): [string, string][] {
  const start = html.indexOf(`aria-label="${label}"`);
  if (start === -1) throw new Error(`No form ${label} on the page`);
  const form = html.slice(start, html.indexOf('</form>', start));
  return Array.from(
    form.matchAll(/<input type="hidden" name="([^"]+)"(?: value="([^"]*)")?/g),
    ([, name = '', value = '']) => [name, value.replaceAll('&quot;', '"')],
  );
}

async function toMultipart(fields: readonly [string, string][]): Promise<{ type: string; body: Buffer }> {
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  const encoded = new Response(form);
  return { type: encoded.headers.get('content-type') ?? '', body: Buffer.from(await encoded.arrayBuffer()) };
}

describe.each(['nginx', 'caddy'] as const)('behind %s', (name) => {
  const run = test.skipIf(!isInstalled(name));

  run(
    'a login link signs in over TLS, with a cookie for this host alone, and the log has the client’s address',
    async () => {
      await using behind = await startBehind(name);
      const { front, server } = behind;
      expect((await ask(front, '/')).status).toBe(401);
      const { cookie, setCookie } = await signIn(behind);
      expect(setCookie).toMatch(/^__Host-flight=[\w-]+; .*; Secure$/);
      expect((await ask(front, '/', { headers: { cookie } })).status).toBe(200);
      const { fields } = await server.waitForLine((line) => line.event === 'signed-in');
      expect(fields['address']).toBe(clientAddress);
    },
  );

  run.each(['gzip', 'identity'])('a page that streams still does, as %s', async (encoding) => {
    await using behind = await startBehind(name);
    const { cookie } = await signIn(behind);
    const answer = await ask(behind.front, '/lab/streaming', { headers: { cookie, 'accept-encoding': encoding } });
    expect([answer.status, answer.headers['content-encoding'] ?? 'identity']).toEqual([200, encoding]);
    // The first part comes at once, the last one 2.4 s later.
    expect(answer.streamedMs).toBeGreaterThan(1_500);
  });

  run('actions work with JavaScript and without', async () => {
    await using behind = await startBehind(name);
    const { cookie } = await signIn(behind);
    const call = await ask(behind.front, '/lab/actions', {
      method: 'POST',
      headers: { cookie, 'content-type': 'text/plain;charset=UTF-8', 'x-flight-action': nameAddNumbers() },
      body: '[40,2]',
    });
    expect(call.status).toBe(200);
    expect(call.body).toMatch(/\b42\b/);
    const page = await ask(behind.front, '/lab/actions', { headers: { cookie } });
    expect(page.body).toMatch(/<output data-testid="counter">0</);
    const { type, body } = await toMultipart(readFields(page.body, 'Raise by 5'));
    const headers = { cookie, 'content-type': type };
    const posted = await ask(behind.front, '/lab/actions', { method: 'POST', headers, body });
    expect(posted.status).toBe(200);
    expect(posted.body).toMatch(/<output data-testid="counter">5</);
  });

  run('what the app refuses is refused by the app: a path with two slashes, a body that is too large', async () => {
    await using behind = await startBehind(name);
    const { front, server } = behind;
    const lines = await server.linesAfter(async () => {
      expect((await ask(front, '//lab')).status).toBe(400);
      expect((await ask(front, '/lab%2factions')).status).toBe(400);
    });
    expect(lines.filter((line) => line.event === 'request-refused')).toHaveLength(2);
    const { cookie } = await signIn(behind);
    const headers = { cookie, 'content-type': 'text/plain', 'x-flight-action': nameAddNumbers() };
    const body = Buffer.alloc(1024 * 1024 + 1024, 'x');
    const answer = await ask(front, '/lab/actions', { method: 'POST', headers, body });
    expect([answer.status, answer.headers['content-type']]).toEqual([413, 'application/json; charset=utf-8']);
    // nginx itself answers this one.
    expect((await ask(front, '/lab/actions', { method: 'POST', headers, body: Buffer.alloc(2e6) })).status).toBe(413);
  });

  run('slow logins keep nobody out who comes from elsewhere, or from the same address', async () => {
    await using behind = await startBehind(name);
    const { front } = behind;
    const slow = Array.from({ length: 40 }, () => {
      const sent = request({
        ...toOptions(front, '/login', { method: 'POST', headers: { ...urlencoded, 'content-length': '400' } }),
      });
      // The server cuts each connection, or the end of the test does.
      sent.on('error', () => undefined).on('response', (response) => response.resume());
      sent.write('password=');
      return sent;
    });
    await Promise.all(slow.map((sent) => new Promise((resolve) => sent.on('close', resolve).on('socket', resolve))));
    for (let tries = 0; tries < 3; tries += 1) expect((await signIn(behind)).cookie).toMatch(/^__Host-flight=/);
    for (const sent of slow) sent.destroy();
  });
});
