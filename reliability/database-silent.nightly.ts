import { randomBytes, randomInt } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

import { Client } from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';

import { makeServerFolder, type Postgres, startPostgres } from '../scripts/start-postgres.mjs';
import { postReport } from './testing/post-report.ts';
import { type RunningServer, startServer } from './testing/start-server.ts';

/**
 * SDKs of Sentry send nothing twice: what is answered with 503 is lost. So from the moment at which PostgreSQL says nothing any more,
 * everything that has room on the disk is kept there, also before anybody can know that the database is away.
 */
const app = { number: 7, publicKey: 'a'.repeat(32), secretKey: 'b'.repeat(32) } as const;

/** A steady stream: what one server of an app and its visitors send when every page fails. */
const everyMs = { server: 16, browser: 250, tunnel: 400 } as const;
type Way = keyof typeof everyMs;

/** Longer than it takes to notice, and than any limit of a single wait. */
const silentMs = 12_000;
const steadyMs = 2_000;
const backMs = 60_000;

type Posted = { readonly message: string; readonly status: string };
type Sent = Posted & { readonly way: Way };

/** Letters alone: each is a fault of its own, of which every row is kept. */
function nameFault(): string {
  return Array.from({ length: 20 }, () => String.fromCodePoint(97 + randomInt(26))).join('');
}

function postEnvelope(port: number, visitor: number, key: string): Promise<Posted> {
  const id = randomBytes(16).toString('hex');
  const name = nameFault();
  const message = `silent ${name}`;
  const frames = [{ function: name, filename: '/app/dist/pay.js', lineno: 3, colno: 7 }];
  const event = { event_id: id, exception: { values: [{ type: 'Error', value: message, stacktrace: { frames } }] } };
  const body = [JSON.stringify({ event_id: id }), '{"type":"event"}', JSON.stringify(event)].join('\n');
  const headers = { host: `127.0.0.1:${port}`, 'content-length': String(Buffer.byteLength(body)) };
  const path = `/api/${app.number}/envelope/?sentry_version=7&sentry_key=${key}`;
  const to = { host: '127.0.0.1', port, localAddress: `127.0.2.${visitor + 1}`, agent: false };
  return new Promise((resolve) => {
    const sent = request({ ...to, method: 'POST', path, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (more: string) => (text += more));
      response.on('close', () => {
        const code = /"code":"([\w-]+)"/.exec(text)?.[1] ?? '';
        resolve({ message, status: `${response.statusCode ?? 'none'} ${code}`.trim() });
      });
    });
    sent.on('error', (error) => resolve({ message, status: String(error) }));
    sent.end(body);
  });
}

async function postOne(port: number, way: Way, turn: number): Promise<Posted> {
  if (way !== 'tunnel') return postEnvelope(port, turn % 200, way === 'server' ? app.secretKey : app.publicKey);
  const message = `silent ${nameFault()}`;
  const { status, code = '' } = await postReport(port, turn % 200, message);
  return { message, status: `${status} ${code}`.trim() };
}

function startStream({ port }: RunningServer) {
  const sent: Sent[] = [];
  const asked: Promise<void>[] = [];
  const timers = (['server', 'browser', 'tunnel'] as const).map((way) => {
    let turn = 0;
    return setInterval(() => {
      turn += 1;
      asked.push(postOne(port, way, turn).then((one) => void sent.push({ ...one, way })));
    }, everyMs[way]);
  });
  return {
    sent,
    async stop() {
      timers.forEach(clearInterval);
      await Promise.all(asked);
    },
  };
}

/** As a machine that hangs: nothing is answered, and no connection ends. */
function signalAll({ pid }: Postgres, signal: 'SIGSTOP' | 'SIGCONT'): void {
  if (pid === undefined) throw new Error('not a server of ours');
  function send(to: number): void {
    try {
      process.kill(to, signal);
    } catch (error) {
      // One of its helpers has ended meanwhile.
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }
  send(pid);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  for (const child of children.filter(Boolean)) send(Number(child));
}

async function addApp(database: string): Promise<void> {
  const client = new Client({ connectionString: database });
  await client.connect();
  await client.query(
    `insert into app (id, name, number, public_key, secret_key, created) values ('shop', 'Shop', $1, $2, $3, $4)`,
    [app.number, app.publicKey, app.secretKey, Date.now()],
  );
  await client.end();
}

function countStatuses(sent: readonly Sent[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { way, status } of sent) counts[`${way} ${status}`] = (counts[`${way} ${status}`] ?? 0) + 1;
  return counts;
}

/** The words of every error that is stored, and how many the faults count. */
async function readKept(database: string): Promise<{ readonly messages: readonly string[]; readonly counted: number }> {
  const client = new Client({ connectionString: database });
  await client.connect();
  try {
    const kept = await client.query<{ message: string }>(`select message from event where message like 'silent %'`);
    const counted = await client.query<{ n: number }>('select sum(count + untrusted)::int as n from fault');
    return { messages: kept.rows.map(({ message }) => message), counted: counted.rows[0]?.n ?? 0 };
  } finally {
    await client.end();
  }
}

/** Takes the database away. @returns what brings it back */
type Away = (postgres: Postgres, folder: string) => Promise<() => Promise<void>>;

async function hang(postgres: Postgres): Promise<() => Promise<void>> {
  signalAll(postgres, 'SIGSTOP');
  return async () => signalAll(postgres, 'SIGCONT');
}

async function stop(postgres: Postgres, folder: string): Promise<() => Promise<void>> {
  await postgres.stop('fast');
  return async () => {
    const again = await startPostgres({ folder, fsync: true, port: postgres.port });
    onTestFinished(() => again.stop());
  };
}

test.each<{ readonly does: string; readonly away: Away }>([
  { does: 'says nothing any more', away: hang },
  { does: 'is stopped', away: stop },
])(
  'PostgreSQL $does: no report is refused, and what was answered is stored once',
  async ({ away }) => {
    const folder = makeServerFolder();
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const postgres = await startPostgres({ folder, fsync: true });
    onTestFinished(() => postgres.stop());
    await using server = await startServer({ env: { DATABASE_URL: postgres.url } });
    await addApp(postgres.url);
    // The server hears of the app within a second.
    const first = await vi.waitFor(
      async () => {
        const posted = await postEnvelope(server.port, 0, app.secretKey);
        expect(posted.status).toBe('200');
        return posted;
      },
      { timeout: 10_000, interval: 200 },
    );
    const stream = startStream(server);
    await wait(steadyMs);
    const back = await away(postgres, folder);
    await wait(silentMs);
    const meanwhile = stream.sent.length;
    await back();
    await wait(steadyMs);
    await stream.stop();
    await vi.waitFor(() => expect(server.lines().map(({ event }) => event)).toContain('spool-written'), {
      timeout: backMs,
      interval: 100,
    });

    expect(Object.keys(countStatuses(stream.sent)).toSorted()).toEqual(['browser 200', 'server 200', 'tunnel 200']);
    // Nobody waited until the database was back.
    expect(meanwhile).toBeGreaterThan((silentMs / everyMs.server) * 0.5);
    const sent = [first, ...stream.sent].map(({ message }) => message).toSorted();
    await vi.waitFor(async () => expect((await readKept(postgres.url)).messages.toSorted()).toEqual(sent), {
      timeout: backMs,
      interval: 500,
    });
    expect((await readKept(postgres.url)).counted).toBe(sent.length);
  },
  180_000,
);
