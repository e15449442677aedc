import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { startPostgres } from '../scripts/start-postgres.mjs';
import { findFreePort, runServer, type RunningApp } from './fixture-app.ts';
import { readCpuSeconds, readPeakRss, readServingSeconds } from './process-usage.ts';
import { median, show } from './samples.ts';
import './without-bundler.ts';

/**
 * What it costs to take a report of an SDK: from its bytes to the 200, before which it is scrubbed, grouped, searchable and on disk. By
 * size, by the flags of Node that the unit sets, and on both engines; beside a receiver that only parses and inserts
 * (minimal-receiver.ts), so that the distance to what cannot be beaten is seen.
 *
 *     npm run bench reports -- --rounds 3 --reports 3000 --senders 32 --only recorder
 *
 * Each round begins with new servers and empty databases, all one after another, and ratios are of one round.
 */
const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    reports: { type: 'string', default: '3000' },
    senders: { type: 'string', default: '32' },
    kilobytes: { type: 'string', default: '5,50' },
    /** Left out: all. Else those whose title contains it. */
    only: { type: 'string', default: '' },
    /** Node's own, for the servers: `--cpu-prof --cpu-prof-dir=profiles`. */
    node: { type: 'string', default: '' },
  },
});
const reports = Number(flags.reports);

const { addApps, createError, makeFolder, removeFolder, startRecorder } = await import('./scale/recorder.ts');

/** As deploy/flight-recorder.service starts it. */
const unitFlags = ['--max-old-space-size=128', '--max-semi-space-size=4', '--optimize-for-size'];

type Setting = {
  readonly title: string;
  readonly kind: 'recorder' | 'minimal';
  readonly engine: 'sqlite' | 'postgres';
  readonly nodeFlags: readonly string[];
};

const settings = (
  [
    { title: 'minimal receiver, SQLite', kind: 'minimal', engine: 'sqlite', nodeFlags: [] },
    { title: 'recorder, SQLite', kind: 'recorder', engine: 'sqlite', nodeFlags: [] },
    { title: 'recorder, SQLite, the unit’s flags', kind: 'recorder', engine: 'sqlite', nodeFlags: unitFlags },
    { title: 'recorder, PostgreSQL', kind: 'recorder', engine: 'postgres', nodeFlags: [] },
  ] satisfies readonly Setting[]
).filter(({ title }) => title.includes(flags.only));

const app = 'shop';
/** Its last lines, where a report is refused. */
const saidBytes = 2_000;
const sentAgainMs = 100;

/** As @sentry/node sends it, of `kilobytes`: a dozen frames with lines of source, contexts, and breadcrumbs up to the size. */
function createEnvelope(number: number, kilobytes: number): Buffer {
  const { name, message, frames, time, release } = createError(number);
  const id = randomBytes(16).toString('hex');
  const at = time / 1000;
  const event = {
    event_id: id,
    timestamp: at,
    platform: 'node',
    level: 'error',
    environment: 'production',
    release,
    server_name: 'web-1',
    sdk: { name: 'sentry.javascript.node', version: '10.0.0' },
    contexts: {
      trace: { trace_id: randomBytes(16).toString('hex'), span_id: randomBytes(8).toString('hex') },
      runtime: { name: 'node', version: 'v24.1.0' },
      os: { name: 'Linux', version: '6.1.0' },
    },
    request: {
      method: 'GET',
      url: `http://shop.example/item/${number}`,
      headers: { accept: 'text/html', host: 'shop.example' },
    },
    exception: {
      values: [
        {
          type: name,
          value: message,
          mechanism: { type: 'onunhandledrejection', handled: false },
          stacktrace: {
            frames: (frames ?? []).toReversed().map(({ fn, file, line, column, inApp, context }) => ({
              function: fn,
              filename: `/srv/shop/${file}`,
              lineno: line,
              colno: column,
              in_app: inApp,
              ...(context
                ? {
                    pre_context: context.lines.slice(0, 2),
                    context_line: context.lines[2],
                    post_context: context.lines.slice(3),
                  }
                : {}),
            })),
          },
        },
      ],
    },
    breadcrumbs: new Array<object>(),
  };
  let bytes = JSON.stringify(event).length;
  // An SDK keeps a hundred at most: of a large report they are longer.
  const each = Math.max(120, Math.ceil((kilobytes * 1000 - bytes) / 100));
  while (bytes + each < kilobytes * 1000) {
    const count = event.breadcrumbs.length;
    const breadcrumb = { timestamp: at - count, category: 'console', level: 'info', message: `line ${count} ` };
    const padding = 'stock of item 4711 is read; '.repeat(Math.ceil(each / 28)).slice(0, each - 85);
    event.breadcrumbs.push({ ...breadcrumb, message: breadcrumb.message + padding });
    bytes += each;
  }
  const lines = [{ event_id: id, sent_at: new Date(time).toISOString() }, { type: 'event' }, event];
  return Buffer.from(`${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
}

type Target = { readonly port: number; readonly path: string; readonly headers: Readonly<Record<string, string>> };

/** @returns how long it took, in ms; undefined where there was no room for it. @throws where it was answered otherwise */
function send(agent: Agent, { port, path: address, headers }: Target, body: Buffer): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const type = { 'content-type': 'application/x-sentry-envelope', 'content-length': body.length };
    const sent = request({
      agent,
      port,
      host: '127.0.0.1',
      method: 'POST',
      path: address,
      headers: { ...headers, ...type },
    });
    sent.on('error', reject);
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        if (response.statusCode === 200) resolve(performance.now() - began);
        else if (response.statusCode === 503) resolve(undefined);
        else reject(new Error(`answered ${response.statusCode}: ${Buffer.concat(chunks).toString('utf8')}`));
      });
    });
    sent.end(body);
  });
}

type Sample = {
  readonly perSecond: number;
  readonly cpuMs: number;
  readonly servingMs: number;
  readonly p50: number;
  readonly p99: number;
  readonly peakMiB: number;
  /** For want of room, and sent again. */
  readonly refused: number;
};

async function measure(server: RunningApp, target: Target, kilobytes: number): Promise<Sample> {
  const agent = new Agent({ keepAlive: true, maxSockets: Number(flags.senders) });
  const times: number[] = [];
  let refused = 0;
  /** Until it is taken. An SDK would drop it. */
  async function insist(body: Buffer): Promise<void> {
    for (;;) {
      const time = await send(agent, target, body);
      if (time !== undefined) return void times.push(time);
      refused += 1;
      await wait(sentAgainMs);
    }
  }
  async function sendAll(bodies: readonly Buffer[]): Promise<void> {
    let next = 0;
    async function sendOn(): Promise<void> {
      for (let body = bodies[next++]; body; body = bodies[next++]) await insist(body);
    }
    await Promise.all(Array.from({ length: Number(flags.senders) }, sendOn));
  }
  const bodies = Array.from({ length: reports }, (_, number) => createEnvelope(number, kilobytes));
  // What is loaded and compiled with the first of them is not counted.
  await sendAll(bodies.slice(0, 300).map((_, number) => createEnvelope(number, kilobytes)));
  times.length = 0;
  refused = 0;
  const read = () => [readCpuSeconds(server.pid) ?? Number.NaN, readServingSeconds(server.pid) ?? Number.NaN] as const;
  const [[cpu, serving], began] = [read(), performance.now()];
  await sendAll(bodies);
  const seconds = (performance.now() - began) / 1000;
  const [cpuAfter, servingAfter] = read();
  agent.destroy();
  const sorted = times.toSorted((a, b) => a - b);
  return {
    perSecond: reports / seconds,
    cpuMs: ((cpuAfter - cpu) * 1000) / reports,
    servingMs: ((servingAfter - serving) * 1000) / reports,
    p50: sorted[Math.floor(sorted.length * 0.5)] ?? Number.NaN,
    p99: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN,
    peakMiB: readPeakRss(server.pid),
    refused,
  };
}

async function startMinimal(folder: string, port: number): Promise<RunningApp> {
  const file = path.join(import.meta.dirname, 'minimal-receiver.ts');
  const env = { ...process.env, FLIGHT_DATA: folder };
  return runServer([file], { port, cwd: folder, env, readyPath: '/' });
}

async function run({ kind, engine, nodeFlags }: Setting, kilobytes: number): Promise<Sample> {
  const folder = makeFolder();
  const database = engine === 'postgres' ? await startPostgres({ fsync: true }) : undefined;
  const place = { folder, ...(database ? { url: database.url } : {}) };
  let server: RunningApp | undefined;
  try {
    const port = await findFreePort();
    if (kind === 'minimal') {
      server = await startMinimal(folder, port);
      return await measure(server, { port, path: '/', headers: {} }, kilobytes);
    }
    const keys = await addApps(place, [app]);
    server = await startRecorder(place, [...nodeFlags, ...flags.node.split(' ').filter((flag) => flag !== '')]);
    const auth = `Sentry sentry_version=7, sentry_key=${keys.get(app) ?? ''}`;
    const target = {
      port: Number(new URL(server.origin).port),
      path: `/api/${app}/envelope/`,
      headers: { 'x-sentry-auth': auth },
    };
    return await measure(server, target, kilobytes);
  } catch (error) {
    throw new Error(`${kind}, ${engine} said last: ${server?.output().slice(-saidBytes) ?? 'nothing'}`, {
      cause: error,
    });
  } finally {
    await server?.stop();
    await database?.stop();
    removeFolder(folder);
  }
}

const columns: readonly (readonly [title: string, digits: number, read: (sample: Sample) => number])[] = [
  ['a second', 0, ({ perSecond }) => perSecond],
  ['CPU ms', 3, ({ cpuMs }) => cpuMs],
  ['of its first thread', 3, ({ servingMs }) => servingMs],
  ['p50 ms', 1, ({ p50 }) => p50],
  ['p99 ms', 1, ({ p99 }) => p99],
  ['peak MiB', 0, ({ peakMiB }) => peakMiB],
  ['refused', 0, ({ refused }) => refused],
];

function summarise(samples: readonly Sample[], floor: readonly Sample[] | undefined): Record<string, string> {
  const own = columns.map(([title, digits, read]) => [title, show(median(samples.map(read)), digits)] as const);
  const times = floor && median(samples.map(({ cpuMs }, round) => cpuMs / (floor[round]?.cpuMs ?? Number.NaN)));
  return Object.fromEntries([...own, ['CPU × minimal', times === undefined ? '-' : show(times, 1)]]);
}

for (const kilobytes of flags.kilobytes.split(',').map(Number)) {
  const results = new Map(settings.map(({ title }) => [title, new Array<Sample>()]));
  for (let round = 1; round <= Number(flags.rounds); round += 1) {
    for (const setting of settings) results.get(setting.title)?.push(await run(setting, kilobytes));
  }
  const floor = results.get('minimal receiver, SQLite');
  console.log(`${kilobytes} kB, ${reports} reports of ${flags.senders} senders, median of ${flags.rounds} rounds`);
  console.table(Object.fromEntries([...results].map(([title, samples]) => [title, summarise(samples, floor)])));
}
