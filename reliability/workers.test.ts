import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';

import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';

import { startPostgres } from '../scripts/start-postgres.mjs';
import { startBalancer } from './testing/balancer.ts';
import { exchangeRaw } from './testing/exchange-raw.ts';
import { askFailing, listFailing, type Failing } from './testing/failing-pages.ts';
import { isQuick } from './testing/is-quick.ts';
import { signIn } from './testing/sign-in.ts';
import { StartFailure, startServer, type RunningServer, type StartOptions } from './testing/start-server.ts';

/** `WORKERS=2` on one data folder: what one process promises, of several, while they are killed and replaced. */
const rounds = isQuick ? 4 : 60;
const visitors = 8;
/** Each new worker takes a second, and ten on a machine on which much else runs. */
const slowMs = 180_000;
/** Of a day that no retention keeps. */
const longAgo = Date.parse('2020-01-01');

type Ready = { readonly worker: number; readonly pid: number };

/** Of all workers so far, in the order in which they got ready. */
function listReady(server: RunningServer): readonly Ready[] {
  return server
    .lines()
    .filter(({ event }) => event === 'worker-ready')
    .map(({ fields }) => ({ worker: Number(fields['worker']), pid: Number(fields['pid']) }));
}

async function untilReady(server: RunningServer, count: number): Promise<readonly Ready[]> {
  await expect.poll(() => listReady(server).length, { timeout: slowMs }).toBeGreaterThanOrEqual(count);
  return listReady(server);
}

async function startWorkers(options: StartOptions = {}): Promise<RunningServer> {
  const server = await startServer({ ...options, env: { WORKERS: '2', ...options.env } });
  await untilReady(server, 2);
  return server;
}

function createFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'flight-recorder-workers-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Which workers have answered something that has a line. */
function readWorkersOf(server: RunningServer, event: string): ReadonlySet<unknown> {
  const lines = server.lines().filter((line) => line.event === event);
  return new Set(lines.map(({ fields }) => fields['worker']));
}

async function lookUp(server: RunningServer, digest: string): Promise<number | undefined> {
  const target = `/digest/${digest.slice(0, 5)}-${digest.slice(5)}`;
  const answer = await exchangeRaw(
    server.port,
    `GET ${target} HTTP/1.1\r\nHost: ${server.host}\r\nConnection: close\r\n\r\n`,
    { waitMs: 20_000 },
  );
  return answer.statuses[0];
}

function readDigests(dataFolder: string): ReadonlySet<unknown> {
  const database = new DatabaseSync(path.join(dataFolder, 'flight.db'));
  try {
    expect(database.prepare('pragma integrity_check').get()?.['integrity_check']).toBe('ok');
    return new Set(
      database
        .prepare("select digest from error where stack != ''")
        .all()
        .map(({ digest }) => digest),
    );
  } finally {
    database.close();
  }
}

test('the server says once where it is, and a digest has its page on whichever worker is asked', async () => {
  await using server = await startWorkers();
  const failing = await listFailing(server);
  const statuses: Promise<number | undefined>[] = [];
  for (let time = 0; time < 40; time += 1) {
    const page = failing[time % failing.length];
    if (!page) throw new Error('nothing fails');
    await askFailing(server, page, (digest) => statuses.push(lookUp(server, digest)));
  }
  expect(statuses.length).toBeGreaterThanOrEqual(40);
  expect(new Set(await Promise.all(statuses))).toEqual(new Set([200]));
  expect(readWorkersOf(server, 'server-error')).toEqual(new Set([1, 2]));
  expect(server.lines().filter(({ text }) => text.startsWith('Flight Recorder is at'))).toHaveLength(1);
  expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
  expect(server.lines().filter(({ event }) => event === 'stopping')).toHaveLength(1);
});

type Seen = { readonly digests: string[]; asked: number; answers: number; cut: number };

/**
 * Of a fault that occurs more often, some occurrences are deleted while others are stored (src/reports/thin-fault.ts). Two of the six
 * pages are one fault, so it gets a third.
 */
const askedAtMost = 150;

type Load = { readonly allow: (count: number) => void; readonly end: () => void; readonly ended: Promise<void> };

/**
 * Asks for pages that fail, on connections that are kept, as many as it is allowed to, until it is told to stop, or an answer is cut
 * and `untilCut` is set.
 */
function startFailures(server: RunningServer, seen: Seen, { untilCut = false } = {}): Load {
  const agent = new Agent({ keepAlive: true, maxSockets: visitors });
  let allowed = 0;
  let isOver = false;
  async function visit(failing: readonly Failing[], visitor: number): Promise<void> {
    let at = visitor;
    while (!isOver && !(untilCut && seen.cut > 0)) {
      const page = failing[at % failing.length];
      if (!page) throw new Error('nothing fails');
      if (seen.asked >= allowed) {
        await wait(5);
        continue;
      }
      seen.asked += 1;
      at += 1;
      const isWhole = await askFailing(server, page, (digest) => seen.digests.push(digest), agent);
      if (isWhole) seen.answers += 1;
      else seen.cut += 1;
    }
  }
  async function visitAll(): Promise<void> {
    const failing = await listFailing(server);
    await Promise.all(Array.from({ length: visitors }, (_, visitor) => visit(failing, visitor)));
    agent.destroy();
  }
  return {
    allow(count) {
      allowed = Math.min(askedAtMost, seen.asked + count);
    },
    end: () => void (isOver = true),
    ended: visitAll(),
  };
}

/** Those whose errors are neither stored nor said in the log to have been sent before the disk had them. */
async function listLost(
  server: RunningServer,
  { digests }: Seen,
  isStored: (digest: string) => boolean | Promise<boolean>,
): Promise<readonly string[]> {
  const late = server.lines().filter(({ event }) => event === 'error-not-stored-in-time');
  const inLog = new Set(late.map(({ fields }) => fields['digest']));
  const lost: string[] = [];
  for (const digest of digests) if (!inLog.has(digest) && !(await isStored(digest))) lost.push(digest);
  return lost;
}

type Engine = {
  readonly env: Readonly<Record<string, string>>;
  readonly readDigests: () => Promise<ReadonlySet<unknown>>;
};

const engines: Readonly<Record<string, (dataFolder: string) => Promise<Engine>>> = {
  SQLite: async (dataFolder) => ({ env: {}, readDigests: async () => readDigests(dataFolder) }),
  PostgreSQL: async () => {
    const postgres = await startPostgres();
    onTestFinished(() => postgres.stop());
    async function readStored(): Promise<ReadonlySet<unknown>> {
      const client = new Client({ connectionString: postgres.url });
      await client.connect();
      try {
        const { rows } = await client.query<{ digest: string }>("select digest from error where stack <> ''");
        return new Set(rows.map(({ digest }) => digest));
      } finally {
        await client.end();
      }
    }
    return { env: { DATABASE_URL: postgres.url }, readDigests: readStored };
  },
};

test.each(Object.entries(engines))(
  'on %s a worker is killed four times among errors: no digest is lost, each has its page, and only what it was answering is cut',
  async (_, startEngine) => {
    const dataFolder = createFolder();
    const engine = await startEngine(dataFolder);
    await using server = await startWorkers({ dataFolder, env: engine.env });
    const seen: Seen = { digests: [], asked: 0, answers: 0, cut: 0 };
    const load = startFailures(server, seen);
    const kills = 4;
    // A server gives up when each of its workers ends three times in a minute.
    for (let kill = 0; kill < kills; kill += 1) {
      const before = seen.answers;
      load.allow(Math.floor(askedAtMost / kills));
      await expect.poll(() => seen.answers, { timeout: slowMs, interval: 5 }).toBeGreaterThan(before + 5);
      await wait(Math.random() * 20);
      const ready = listReady(server);
      const victim = ready.findLast(({ worker }) => worker === 1 + (kill % 2));
      if (!victim) throw new Error('there is no worker');
      process.kill(victim.pid, 'SIGKILL');
      await untilReady(server, ready.length + 1);
    }
    load.end();
    await load.ended;
    expect(seen.cut).toBeLessThanOrEqual(kills * visitors);
    expect(seen.answers).toBeGreaterThan(kills * 5);
    expect(await listLost(server, seen, async (digest) => (await lookUp(server, digest)) === 200)).toEqual([]);
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
    const stored = await engine.readDigests();
    expect(await listLost(server, seen, (digest) => stored.has(digest))).toEqual([]);
  },
  slowMs,
);

test(
  `the whole server is killed ${rounds} times among errors, and no digest is lost`,
  async () => {
    let count = 0;
    for (let round = 0; round < rounds; round += 1) {
      const dataFolder = createFolder();
      await using server = await startWorkers({ dataFolder });
      const seen: Seen = { digests: [], asked: 0, answers: 0, cut: 0 };
      const load = startFailures(server, seen, { untilCut: true });
      load.allow(askedAtMost);
      const enough = Math.floor(Math.random() * 60);
      await expect.poll(() => seen.digests.length, { timeout: slowMs, interval: 5 }).toBeGreaterThan(enough);
      await server.end('SIGKILL');
      load.end();
      await load.ended;
      // The folder is free at once: the workers have ended with their primary.
      await using left = await startWorkers({ dataFolder });
      await left.end('SIGTERM');
      const stored = readDigests(dataFolder);
      expect(await listLost(server, seen, (digest) => stored.has(digest))).toEqual([]);
      count += seen.digests.length;
    }
    expect(count).toBeGreaterThan(rounds);
  },
  rounds * 30_000,
);

type Answer = { readonly status: number | string | undefined; readonly isWhole: boolean };

function read(server: { readonly port: number }, agent: Agent | false, target: string): Promise<Answer> {
  return new Promise((resolve) => {
    function fail(error: Error): void {
      const code = 'code' in error ? String(error.code) : error.message;
      resolve({ status: code === 'ECONNREFUSED' ? 'refused' : code, isWhole: false });
    }
    const sent = get({ agent, host: '127.0.0.1', port: server.port, path: target }, (response: IncomingMessage) => {
      response.resume();
      response.on('error', fail);
      response.on('close', () => resolve({ status: response.statusCode, isWhole: response.complete }));
    });
    sent.on('error', fail);
  });
}

test(
  'a rolling restart under load answers every request',
  async () => {
    await using server = await startWorkers();
    const agent = new Agent({ keepAlive: true, maxSockets: 30 });
    const kinds = [
      { target: '/runtime', on: agent },
      { target: '/runtime', on: false },
      { target: '/lab/streaming', on: agent },
      { target: '/lab/slow?ms=700', on: false },
      { target: '/flights/events?since=0', on: false },
    ] as const;
    const wrong: unknown[] = [];
    const answered = kinds.map(() => 0);
    let isOver = false;
    async function browse(kind: number): Promise<void> {
      const { target, on } = kinds[kind] ?? kinds[0];
      while (!isOver) {
        const begun = performance.now();
        const { status, isWhole } = await read(server, on, target);
        answered[kind] = (answered[kind] ?? 0) + 1;
        const tookMs = performance.now() - begun;
        if (status !== 200 || !isWhole) wrong.push({ target, isKept: on === agent, status, isWhole, tookMs });
      }
    }
    const clients = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3].map(browse);
    // A stream of events has no end until its server wants to go.
    const streams = [browse(4), browse(4)];
    await expect.poll(() => answered[0], { timeout: slowMs }).toBeGreaterThan(20);
    for (let restart = 1; restart <= 2; restart += 1) {
      server.signal('SIGUSR2');
      await expect
        .poll(() => server.lines().filter(({ event }) => event === 'workers-renewed').length, { timeout: slowMs })
        .toBe(restart);
    }
    isOver = true;
    await Promise.all(clients);
    expect(answered[4]).toBeGreaterThan(0);
    server.signal('SIGTERM');
    await Promise.all(streams);
    expect(await server.exited).toEqual({ code: 0, signal: null });
    expect(wrong).toEqual([]);
    const pids = listReady(server).map(({ pid }) => pid);
    expect(pids).toHaveLength(6);
    expect(new Set(pids).size).toBe(6);
    expect(server.lines().filter(({ event }) => event === 'worker-ended')).toEqual([]);
    agent.destroy();
  },
  slowMs,
);

type Browsed = { readonly wrong: readonly Answer[]; readonly pausedMs: number };

/** Thirty clients ask without a pause while the server ends. */
async function browseUntilEnd(): Promise<Browsed> {
  await using server = await startWorkers();
  const agent = new Agent({ keepAlive: true, maxSockets: 30 });
  const wrong: Answer[] = [];
  let answered = 0;
  async function browse(): Promise<void> {
    for (;;) {
      const answer = await read(server, agent, '/runtime');
      if (answer.status === 'refused') return;
      if (answer.status === 200 && answer.isWhole) answered += 1;
      else wrong.push(answer);
    }
  }
  const clients = Array.from({ length: 30 }, browse);
  await expect.poll(() => answered, { timeout: slowMs }).toBeGreaterThan(100);
  const pauses = monitorEventLoopDelay();
  pauses.enable();
  server.signal('SIGTERM');
  await Promise.all(clients);
  pauses.disable();
  expect(await server.exited).toEqual({ code: 0, signal: null });
  agent.destroy();
  return { wrong, pausedMs: pauses.max / 1e6 };
}

/** A server that ends closes a connection on which nothing came for a second. Clients that pause are not what is tested. */
const busyWithinMs = 500;

test(
  'SIGTERM fails not one request of busy clients',
  async () => {
    const tries: Browsed[] = [await browseUntilEnd()];
    // This machine has more to do, and did not let the clients run.
    while (tries.length < 3 && tries.every(({ wrong, pausedMs }) => wrong.length > 0 && pausedMs > busyWithinMs)) {
      tries.push(await browseUntilEnd());
    }
    expect(tries.at(-1)?.wrong, JSON.stringify(tries)).toEqual([]);
  },
  slowMs,
);

test('who is signed in is so on each worker, and signed out on each', async () => {
  await using server = await startWorkers({ env: { FLIGHT_AUTH: 'on' } });
  const cookie = await signIn(server);
  async function ask(): Promise<number | undefined> {
    const head = `GET /faults HTTP/1.1\r\nHost: ${server.host}\r\nCookie: ${cookie}\r\nConnection: close\r\n\r\n`;
    return (await exchangeRaw(server.port, head, { waitMs: 60_000 })).statuses[0];
  }
  async function askOften(): Promise<ReadonlySet<number | undefined>> {
    return new Set(await Promise.all(Array.from({ length: 12 }, ask)));
  }
  expect(await askOften()).toEqual(new Set([200]));
  const origin = { origin: server.origin };
  await fetch(`${server.origin}/logout`, { method: 'POST', headers: { cookie, ...origin }, redirect: 'manual' });
  expect((await askOften()).has(200)).toBe(false);
  expect(server.lines().filter(({ text }) => text.startsWith('Sign in with'))).toHaveLength(1);
});

/** Inserts copies of an error, as if the server had been off. */
function insertErrors(dataFolder: string, count: number, of: { readonly time: number; readonly app?: string }): void {
  const database = new DatabaseSync(path.join(dataFolder, 'flight.db'), { timeout: 5_000 });
  const columns = database.prepare('select * from error limit 1').all()[0];
  if (!columns) throw new Error('there is no error to copy');
  const insert = database.prepare(
    `insert into error (${Object.keys(columns).join()}) values (${Object.keys(columns).fill('?').join()})`,
  );
  for (let at = 0; at < count; at += 1) {
    const key = `${of.app ?? ''}${of.time + at}`;
    insert.run(...Object.values({ ...columns, ...of, id: key, digest: key }));
  }
  database.close();
}

/** With one error in it. */
async function createFolderOfServer(): Promise<string> {
  const dataFolder = createFolder();
  await using server = await startWorkers({ dataFolder });
  const [failing] = await listFailing(server);
  if (!failing) throw new Error('nothing fails');
  await askFailing(server, failing, () => undefined);
  await server.end('SIGTERM');
  return dataFolder;
}

test('one worker deletes what an ended process left of an app', async () => {
  const dataFolder = await createFolderOfServer();
  insertErrors(dataFolder, 500, { app: 'gone', time: Date.now() });
  await using server = await startWorkers({ dataFolder });
  const isDeleted = ({ event }: { readonly event: string }): boolean => event === 'app-deleted';
  expect((await server.waitForLine(isDeleted)).fields).toMatchObject({ app: 'gone' });
  expect([...readDigests(dataFolder)].filter((digest) => String(digest).startsWith('gone'))).toEqual([]);
  expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
  expect(server.lines().filter(isDeleted)).toHaveLength(1);
});

test('retention is done by one worker, and by another when that one ends', async () => {
  const dataFolder = await createFolderOfServer();
  insertErrors(dataFolder, 500, { time: longAgo });
  await using server = await startWorkers({ dataFolder });
  const first = await server.waitForLine(({ event }) => event === 'retention');
  expect(first.fields['deleted']).toBe(500);
  insertErrors(dataFolder, 300, { time: longAgo + 500 });
  const holder = listReady(server).find(({ worker }) => worker === first.fields['worker']);
  if (!holder) throw new Error('nobody deletes');
  process.kill(holder.pid, 'SIGKILL');
  const second = await server.waitForLine((line) => line.event === 'retention' && line !== first);
  expect(second.fields).toMatchObject({ deleted: 300, worker: 3 - holder.worker });
});

test('workers that end again and again end the server, with a line that says so', async () => {
  await using server = await startWorkers();
  const killed = new Set<number>();
  let hasEnded = false;
  void server.exited.then(() => (hasEnded = true));
  while (!hasEnded) {
    for (const { pid } of listReady(server)) {
      if (killed.has(pid)) continue;
      killed.add(pid);
      process.kill(pid, 'SIGKILL');
    }
    await wait(20);
  }
  expect(await server.exited).toEqual({ code: 1, signal: null });
  expect(server.lines().filter(({ event }) => event === 'workers-failing')).toHaveLength(1);
});

test('what keeps the first worker from starting ends the server, with its line', async () => {
  await using holder = await startServer();
  const failure = await startServer({ env: { WORKERS: '2', PORT: String(holder.port) } }).catch(
    (error: unknown) => error,
  );
  if (!(failure instanceof StartFailure)) throw new Error('it has started');
  expect(failure.exit).toEqual({ code: 1, signal: null });
  expect(failure.output).toContain(`port ${holder.port} is in use; set PORT to another`);
  const wrong = await startServer({ env: { WORKERS: 'many' } }).catch((error: unknown) => error);
  if (!(wrong instanceof StartFailure)) throw new Error('it has started');
  expect(wrong.output).toBe('flight-recorder: WORKERS is many; it must be a whole number from 1 to 16, or auto');
});

test('a second signal ends it at once', async () => {
  await using server = await startWorkers();
  const page = read(server, false, '/lab/slow?ms=5000');
  await exchangeRaw(server.port, `GET /healthz HTTP/1.1\r\nHost: ${server.host}\r\nConnection: close\r\n\r\n`);
  server.signal('SIGTERM');
  await server.waitForLine(({ event }) => event === 'stopping');
  expect(await server.end('SIGTERM')).toEqual({ code: 130, signal: null });
  expect((await page).isWhole).toBe(false);
});

test('one process is all there is without WORKERS', async () => {
  await using server = await startServer({ env: { WORKERS: '1' } });
  expect(listReady(server)).toEqual([]);
  expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
});

test(
  'two servers on one PostgreSQL are restarted one after the other, and a balancer has an answer for every request',
  async () => {
    const postgres = await startPostgres();
    onTestFinished(() => postgres.stop());
    const balancer = await startBalancer();
    onTestFinished(() => balancer.close());
    const env = { DATABASE_URL: postgres.url, BASE_URL: `http://127.0.0.1:${balancer.port}`, WORKERS: '2' };
    const start = () => startWorkers({ env: { ...env, FLIGHT_INSECURE: '1' } });
    let servers = [await start(), await start()];
    onTestFinished(async () => {
      for (const server of servers) await server[Symbol.asyncDispose]();
    });
    async function isReady(server: RunningServer): Promise<boolean> {
      const { status } = await read(server, false, '/readyz');
      return status === 200;
    }
    async function balance(): Promise<void> {
      const ready = await Promise.all(servers.map(isReady));
      balancer.setTargets(servers.filter((_, index) => ready[index]).map(({ port }) => port));
    }
    await balance();
    const agent = new Agent({ keepAlive: true, maxSockets: 8 });
    const wrong: unknown[] = [];
    let answered = 0;
    let isOver = false;
    async function browse(on: Agent | false): Promise<void> {
      while (!isOver) {
        const answer = await read(balancer, on, '/healthz');
        answered += 1;
        if (answer.status !== 200 || !answer.isWhole) wrong.push({ ...answer, isKept: on !== false });
      }
    }
    const clients = [agent, agent, agent, agent, false as const, false as const].map(browse);
    for (const old of servers) {
      const before = answered;
      const fresh = await start();
      servers = [...servers.filter((server) => server !== old), fresh];
      await balance();
      expect(await old.end('SIGTERM')).toEqual({ code: 0, signal: null });
      await expect.poll(() => answered, { timeout: slowMs }).toBeGreaterThan(before + 50);
    }
    isOver = true;
    await Promise.all(clients);
    expect(wrong).toEqual([]);
    agent.destroy();
  },
  slowMs,
);
