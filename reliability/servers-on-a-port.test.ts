import { Agent, get, type IncomingMessage } from 'node:http';

import { expect, onTestFinished, test } from 'vitest';

import { startPostgres } from '../scripts/start-postgres.mjs';
import { startBalancer } from './testing/balancer.ts';
import { askFailing, listFailing } from './testing/failing-pages.ts';
import { type RunningServer, StartFailure, type StartOptions, startServer } from './testing/start-server.ts';

/** Several servers on one PostgreSQL: behind a balancer, and on one port that the system shares out among them. */
const slowMs = 180_000;

type Answer = { readonly status: number | string | undefined; readonly isWhole: boolean };

function read(server: { readonly port: number }, agent: Agent | false, path: string): Promise<Answer> {
  return new Promise((resolve) => {
    function fail(error: Error): void {
      resolve({ status: 'code' in error ? String(error.code) : error.message, isWhole: false });
    }
    const sent = get({ agent, host: '127.0.0.1', port: server.port, path }, (response: IncomingMessage) => {
      response.resume();
      response.on('error', fail);
      response.on('close', () => resolve({ status: response.statusCode, isWhole: response.complete }));
    });
    sent.on('error', fail);
  });
}

async function startDatabase(): Promise<string> {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.stop());
  return postgres.url;
}

test(
  'two servers are restarted one after the other, and a balancer has an answer for every request',
  async () => {
    const url = await startDatabase();
    const balancer = await startBalancer();
    onTestFinished(() => balancer.close());
    const env = { DATABASE_URL: url, BASE_URL: `http://127.0.0.1:${balancer.port}`, FLIGHT_INSECURE: '1' };
    const start = () => startServer({ env });
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

function countErrors(server: RunningServer): number {
  return server.lines().filter(({ event }) => event === 'server-error').length;
}

test(
  'two servers share a port: both answer, a digest has its page on either, and one goes on when the other ends',
  async () => {
    const DATABASE_URL = await startDatabase();
    await using first = await startServer({ env: { DATABASE_URL, REUSE_PORT: '1' } });
    await using second = await startServer({ env: { DATABASE_URL, REUSE_PORT: '1' }, port: first.port });
    // The first answers for both.
    await second.waitForLine(({ text }) => text.startsWith('Flight Recorder is at'));
    const [failing] = await listFailing(first);
    if (!failing) throw new Error('nothing fails');
    const digests: string[] = [];
    // The system chooses by the connection's two ports: 60 connections in a row to one of two servers do not happen.
    for (let asked = 0; asked < 60; asked += 1) await askFailing(first, failing, (digest) => digests.push(digest));
    expect(digests).toHaveLength(60);
    expect([countErrors(first) > 0, countErrors(second) > 0]).toEqual([true, true]);
    expect(countErrors(first) + countErrors(second)).toBe(60);
    const pages = await Promise.all(
      digests.map((digest) => read(first, false, `/digest/${digest.slice(0, 5)}-${digest.slice(5)}`)),
    );
    expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await second.end('SIGTERM')).toEqual({ code: 0, signal: null });
    const after = await Promise.all(Array.from({ length: 40 }, () => read(first, false, '/healthz')));
    expect(new Set(after.map(({ status }) => status))).toEqual(new Set([200]));
  },
  slowMs,
);

async function readFailure(options: StartOptions): Promise<StartFailure> {
  const failure = await startServer(options).catch((error: unknown) => error);
  if (!(failure instanceof StartFailure)) throw new Error('it has started');
  return failure;
}

test('a port is shared only where both servers say so, and on a database that both have', async () => {
  const alone = await readFailure({ env: { REUSE_PORT: '1' } });
  expect(alone.output).toBe(
    'flight-recorder: REUSE_PORT is 1, which takes a DATABASE_URL: a database in a folder has one server.',
  );
  await using holder = await startServer();
  const taken = await readFailure({ env: { PORT: String(holder.port) } });
  expect(taken.output).toContain(`port ${holder.port} is in use; set PORT to another`);
});
