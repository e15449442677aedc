import { createServer, type Server } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

import { Client } from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

import { startPostgres } from '../scripts/start-postgres.mjs';
import { type Balancer, startBalancer } from './testing/balancer.ts';
import { postReport } from './testing/post-report.ts';
import { runOperator } from './testing/run-operator.ts';
import { type RunningServer, startServer } from './testing/start-server.ts';

/**
 * Three servers, each with a data folder of its own, on one PostgreSQL behind a plain TCP balancer. What is asked of one server
 * is sent to it directly, under the name that people use: the balancer's.
 */
let postgres: Awaited<ReturnType<typeof startPostgres>>;
let database: Client;
let balancer: Balancer;
let servers: RunningServer[] = [];
let env: Record<string, string>;
let cookie = '';

/** A killed server's leases are over after 15 s, and the others ask every 5 s. */
const takeOverMs = 25_000;

async function start(): Promise<RunningServer> {
  return startServer({ env });
}

function balance(): void {
  balancer.setTargets(servers.map(({ port }) => port));
}

function at(index: number): RunningServer {
  const server = servers[index];
  if (!server) throw new Error(`There is no server ${index}`);
  return server;
}

type Asked = { readonly method?: string; readonly body?: string; readonly headers?: Record<string, string> };

/** By node:http: fetch does not let one choose `Host`. */
async function ask(server: RunningServer, path: string, asked: Asked = {}) {
  const { request } = await import('node:http');
  const { method = 'GET', body = '', headers = {} } = asked;
  return await new Promise<{ status: number; text: string; headers: NodeJS.Dict<string | string[]> }>(
    (resolve, reject) => {
      const sent = request({
        host: '127.0.0.1',
        port: server.port,
        path,
        method,
        agent: false,
        headers: {
          host: `127.0.0.1:${balancer.port}`,
          ...(body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
          ...headers,
        },
      });
      sent.on('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (more: string) => (text += more));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text, headers: response.headers }));
        response.on('error', reject);
      });
      sent.on('error', reject);
      sent.end(body);
    },
  );
}

async function logIn(server: RunningServer, fields: Record<string, string>) {
  return ask(server, '/login', {
    method: 'POST',
    body: new URLSearchParams(fields).toString(),
    headers: {
      origin: `http://127.0.0.1:${balancer.port}`,
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
    },
  });
}

async function signInAt(server: RunningServer): Promise<string> {
  const { output, errors } = await runOperator(
    { dataFolder: server.dataFolder, env: { ...process.env, ...env } },
    'login-link',
  );
  const code = /\/login#([\w-]{43})/.exec(output)?.[1];
  if (code === undefined) throw new Error(`no link: ${output}${errors}`);
  const answer = await logIn(server, { code });
  expect(answer.status, answer.text).toBe(200);
  return String(answer.headers['set-cookie']).split(';', 1)[0] ?? '';
}

async function read(text: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
  return (await database.query(text, [...values])).rows;
}

/** The server that holds a lease, by its process. */
async function findHolder(lease: string): Promise<number | undefined> {
  const [row] = await read(
    `select instance.pid from lease join instance on instance.id = lease.holder
      where lease.name = $1 and lease.until > extract(epoch from clock_timestamp()) * 1000`,
    [lease],
  );
  return typeof row?.['pid'] === 'number' ? row['pid'] : undefined;
}

/** Another server in place of one that ended. */
async function replace(index: number): Promise<void> {
  await servers[index]?.[Symbol.asyncDispose]();
  servers[index] = await start();
  balance();
}

beforeAll(async () => {
  postgres = await startPostgres();
  database = new Client({ connectionString: postgres.url });
  await database.connect();
  balancer = await startBalancer();
  env = {
    DATABASE_URL: postgres.url,
    FLIGHT_AUTH: 'on',
    BASE_URL: `http://127.0.0.1:${balancer.port}`,
  };
  // At once, on an empty database: one of them makes the tables.
  servers = await Promise.all([start(), start(), start()]);
  balance();
  cookie = await signInAt(at(0));
}, 120_000);

afterAll(async () => {
  await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
  await balancer?.close();
  await database?.end();
  await postgres?.stop();
});

test('who signs in at one server is signed in at all, at once', async () => {
  const own = await signInAt(at(1));
  const answers = await Promise.all(servers.map((server) => ask(server, '/runtime', { headers: { cookie: own } })));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
});

test('a session that is ended at one server is refused by the others', async () => {
  const own = await signInAt(at(0));
  for (const server of servers) expect((await ask(server, '/runtime', { headers: { cookie: own } })).status).toBe(200);
  const origin = `http://127.0.0.1:${balancer.port}`;
  await ask(at(0), '/logout', { method: 'POST', headers: { cookie: own, origin, 'content-length': '0' } });
  const ended = performance.now();
  await vi.waitFor(async () => {
    const answers = await Promise.all(servers.map((server) => ask(server, '/runtime', { headers: { cookie: own } })));
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
  });
  expect(performance.now() - ended).toBeLessThan(1_000);
});

test('attempts to sign in at three servers count together', async () => {
  const statuses: number[] = [];
  // A network may try a password ten times in a row, and then once in six seconds.
  for (let attempt = 0; attempt < 12; attempt += 1) {
    statuses.push((await logIn(at(attempt % 3), { password: 'a wrong password' })).status);
  }
  expect(statuses.slice(0, 10)).toEqual(Array<number>(10).fill(401));
  expect(statuses.slice(10)).toContain(429);
});

test('the page of the servers shows all three, and marks the one that made it', async () => {
  await vi.waitFor(
    async () => {
      const { text } = await ask(at(2), '/runtime', { headers: { cookie } });
      const plain = text.replaceAll('<!-- -->', '');
      for (const { pid } of servers) expect(plain).toMatch(new RegExp(`process ${pid}\\b`));
      const made = /process (\d+), made this page/.exec(plain)?.[1];
      expect(Number(made)).toBe(at(2).pid);
    },
    { timeout: 15_000, interval: 500 },
  );
});

test('what breaks on one server is found on another, and a list on the third shows it without a reload', async () => {
  const { request } = await import('node:http');
  const heard: string[] = [];
  const stream = request({
    host: '127.0.0.1',
    port: at(2).port,
    path: '/flights/events?since=0',
    headers: { host: `127.0.0.1:${balancer.port}`, cookie },
  });
  stream.on('response', (response) => response.setEncoding('utf8').on('data', (text: string) => heard.push(text)));
  stream.end();
  try {
    await vi.waitFor(() => expect(heard.join('')).toContain('data: '), { timeout: 30_000 });
    let before = '';
    // The flights of what was asked before are written within a second.
    await vi.waitFor(
      () => {
        const now = heard.join('');
        const isQuiet = now === before;
        before = now;
        expect(isQuiet).toBe(true);
      },
      { interval: 2_000, timeout: 60_000 },
    );
    const answer = await ask(at(0), '/lab/throw-before-shell', { headers: { cookie, accept: 'text/html' } });
    const digest =
      /\/errors\/([0-9A-Z]{10})|data-digest="([0-9A-Z]{10})"|digest[^0-9A-Z]{1,8}([0-9A-HJKMNP-TV-Z]{10})/.exec(
        answer.text,
      );
    const code = digest?.slice(1).find((found) => found !== undefined);
    expect(code, answer.text.slice(0, 2_000)).toBeDefined();
    // The address of a digest leads to its fault, as soon as the stack is read.
    await vi.waitFor(
      async () => {
        const address = await ask(at(1), `/errors/${code}`, { headers: { cookie } });
        expect(address.status).toBe(307);
        const found = await ask(at(1), String(address.headers['location']), { headers: { cookie } });
        expect(found.status).toBe(200);
        expect(found.text.includes(String(code)), 'the page names the error').toBe(true);
      },
      { interval: 100, timeout: 20_000 },
    );
    await vi.waitFor(() => expect(heard.join('').length).toBeGreaterThan(before.length), { timeout: 20_000 });
  } finally {
    stream.destroy();
  }
});

/** Counts messages by their id. */
async function startReceiver(): Promise<{
  readonly server: Server;
  readonly url: string;
  readonly received: string[];
}> {
  const received: string[] = [];
  const server = createServer((request, response) => {
    received.push(String(request.headers['x-flight-delivery']));
    request.resume();
    request.on('end', () => response.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('The receiver has no port');
  return { server, url: `http://127.0.0.1:${address.port}/`, received };
}

test(
  'when the server that sends alerts is killed, another one takes over, and sends each alert once',
  async () => {
    const { server: receiver, url, received } = await startReceiver();
    try {
      const rules = { new: true, back: true, volume: null, slow: null, apps: null, untrusted: true, inside: true };
      await read(
        `insert into alert_channel (id, name, kind, target, rules_json, created) values ('c', 'On call', 'webhook', $1, $2, $3)`,
        [url, JSON.stringify(rules), Date.now()],
      );
      await vi.waitFor(async () => expect(await findHolder('alerts')).toBeDefined(), {
        timeout: takeOverMs,
        interval: 200,
      });
      const pid = await findHolder('alerts');
      const index = servers.findIndex((server) => server.pid === pid);
      await at(index).end('SIGKILL');
      const other = at((index + 1) % 3);
      expect((await postReport(other.port, 200, 'a fault of which nobody has heard')).status).toBe(200);
      await vi.waitFor(async () => expect(received.length).toBeGreaterThan(0), { timeout: takeOverMs, interval: 200 });
      expect(await findHolder('alerts')).not.toBe(pid);
      await replace(index);
      // Several looks of every server later.
      await wait(6_000);
      const [row] = await read(
        `select count(*)::int as count from alert_delivery where content_json like '%nobody has heard%'`,
      );
      expect(row?.['count']).toBe(1);
      expect(new Set(received).size).toBe(received.length);
    } finally {
      await read(`delete from alert_channel`);
      receiver.closeAllConnections();
      receiver.close();
    }
  },
  takeOverMs * 3,
);

test('killing any of them while reports come through the balancer loses nothing that was acknowledged', async () => {
  const acknowledged: string[] = [];
  const statuses = new Map<string, number>();
  for (const index of [0, 1, 2]) {
    let isOver = false;
    const visits = [0, 1, 2, 3].map(async (visitor) => {
      while (!isOver) {
        const { id, status } = await postReport(balancer.port, visitor, `boom ${visitor}`);
        if (status === 200) acknowledged.push(id);
        statuses.set(String(status), (statuses.get(String(status)) ?? 0) + 1);
        await wait(100);
      }
    });
    const before = acknowledged.length;
    await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(before + 5), { timeout: 20_000 });
    await at(index).end('SIGKILL');
    const killed = acknowledged.length;
    await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(killed + 3), { timeout: 20_000 });
    isOver = true;
    await Promise.all(visits);
    await replace(index);
  }
  // Of a fault that occurs often not every row is kept, and every error is counted.
  const [row] = await read(
    `select coalesce(sum(untrusted), 0)::int as untrusted from fault where message like 'boom %'`,
  );
  expect(row?.['untrusted']).toBeGreaterThanOrEqual(acknowledged.length);
  expect([...statuses.keys()].filter((status) => !['200', '429', 'no-answer'].includes(status))).toEqual([]);
}, 180_000);
