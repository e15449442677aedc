import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { createSampleHead } from '#src/flights/recorder/testing/sample-head.ts';
import type { FlightWriter } from '#src/flights/writer/flight-writer.ts';
import type { FlightEntry } from '#src/flights/writer/flight-values.ts';
import { openSqliteWriter } from '#src/flights/writer/open-sqlite-writer.ts';
import { openPostgresWriter } from '#src/flights/writer/postgres/open-postgres-writer.ts';

import { startPostgres } from '../scripts/start-postgres.mjs';
import { readCpuSeconds, readTreeSeconds } from './process-usage.ts';
import './without-bundler.ts';

/**
 * What it costs to write flights to SQLite and to PostgreSQL, in turn, and how long the pages' queries take when a million are
 * stored. The writer is called as its thread calls it: a batch has what a busy server sends in a quarter of a second. PostgreSQL
 * runs on the same machine, without `fsync`; its own CPU time is printed beside the writer's.
 */
const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    stored: { type: 'string', default: '1000000' },
  },
});
const rounds = Number(flags.rounds);
const stored = Number(flags.stored);
const batch = 250;
const batchesARound = 40;
const gibibyte = 2 ** 30;

const page = Buffer.from(`0:${JSON.stringify('row '.repeat(1_500))}\n`);

function createFlight(number: number, isNew: boolean): FlightEntry {
  const ids = { requestId: randomBytes(16).toString('hex'), traceId: randomBytes(16).toString('hex') };
  const payload = isNew ? Buffer.concat([Buffer.from(ids.requestId), page]) : page;
  const app = number % 10 === 0 ? 'shop' : 'flight-recorder';
  const at = `/page/${number % 50}`;
  return {
    head: createSampleHead({
      ...ids,
      app,
      path: at,
      route: at,
      kind: number % 3 === 0 ? 'prefetch' : 'navigation',
      content: 'flight',
      startedAt: Date.now(),
      durationMs: number % 997,
      bytes: payload.length,
      keptBytes: payload.length,
      chunks: [[1.5, payload.length, 0]],
      elements: ['root', `page:${at}`],
    }),
    payload: new Uint8Array(payload),
    debug: new Uint8Array(),
    args: new Uint8Array(),
  };
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;
}

type Sample = { readonly perSecond: number; readonly writerUs: number; readonly serverUs: number };

async function writeRound(writer: FlightWriter, isNew: boolean, serverPid: number | undefined): Promise<Sample> {
  const batches = Array.from({ length: batchesARound }, () =>
    Array.from({ length: batch }, (_, number) => createFlight(number, isNew)),
  );
  const readServer = () => (serverPid === undefined ? 0 : (readTreeSeconds(serverPid) ?? 0));
  const [cpu, server, began] = [readCpuSeconds(process.pid) ?? 0, readServer(), performance.now()];
  for (const entries of batches) await writer.write(entries);
  const flights = batch * batchesARound;
  const toUs = (seconds: number) => Math.round((seconds * 1e6) / flights);
  return {
    perSecond: Math.round((flights * 1_000) / (performance.now() - began)),
    writerUs: toUs((readCpuSeconds(process.pid) ?? 0) - cpu),
    serverUs: toUs(readServer() - server),
  };
}

async function compareWriting(sqlite: FlightWriter, postgres: FlightWriter, pid: number | undefined): Promise<void> {
  for (const isNew of [true, false]) {
    const samples: { readonly sqlite: Sample; readonly postgres: Sample }[] = [];
    // The first of each is not counted.
    for (let round = 0; round <= rounds; round += 1) {
      samples.push({
        sqlite: await writeRound(sqlite, isNew, undefined),
        postgres: await writeRound(postgres, isNew, pid),
      });
    }
    const of = (engine: 'sqlite' | 'postgres') => {
      const counted = samples.slice(1).map((sample) => sample[engine]);
      return {
        'flights/s': median(counted.map(({ perSecond }) => perSecond)),
        'writer µs/flight': median(counted.map(({ writerUs }) => writerUs)),
        'server µs/flight': median(counted.map(({ serverUs }) => serverUs)),
      };
    };
    console.log(`\n${page.length} bytes of payload, ${isNew ? 'each another' : 'the same again'}`);
    console.table({ SQLite: of('sqlite'), PostgreSQL: of('postgres') });
  }
}

async function fill(writer: FlightWriter): Promise<void> {
  for (let left = stored; left > 0; left -= 1_000) {
    await writer.write(Array.from({ length: 1_000 }, (_, number) => createFlight(number, false)));
  }
}

async function timeQueries(): Promise<Record<string, number>> {
  const [{ askAsOperator }, queries, { listSortedFlights }, { sumRoutes }, { rankRoutes }, { countAppFlights }, state] =
    await Promise.all([
      import('#src/flights/recorder/testing/ask-as-operator.ts'),
      import('#src/flights/for-operator/queries.ts'),
      import('#src/flights/for-operator/sort-flights.ts'),
      import('#src/flights/for-operator/summaries.ts'),
      import('#src/flights/for-operator/rank-routes.ts'),
      import('#src/flights/for-operator/app-counts.ts'),
      import('#src/flights/for-operator/recording-state.ts'),
    ]);
  const limit = 100;
  const [first] = (await askAsOperator(() => queries.listFlights({}, { limit: 1 }))).flights;
  const slowest = { by: 'duration', isAscending: false } as const;
  const asked: Record<string, () => Promise<unknown>> = {
    'the newest 100': () => queries.listFlights({}, { limit }),
    '100 in the middle': () => queries.listFlights({}, { limit, before: (first?.id ?? 0) - stored / 2 }),
    '100 of one app': () => queries.listFlights({ app: 'shop' }, { limit }),
    'with a part of a route': () => queries.listFlights({ routePart: 'GE/49' }, { limit }),
    'that nothing matches': () => queries.listFlights({ slowerThanMs: 1e6 }, { limit }),
    'the slowest of a stretch': () => listSortedFlights({}, slowest, { skip: 0, limit }),
    'one flight': () => queries.readFlight(first?.id ?? 0),
    'of a request': () => queries.findFlightOfRequest(first?.requestId ?? ''),
    totals: () => sumRoutes(),
    'routes, ranked': () => rankRoutes({}),
    'counts of apps': () => countAppFlights(['flight-recorder', 'shop']),
    'state of the recording': () => state.readStoredRecording(),
  };
  const times: Record<string, number> = {};
  for (const [name, query] of Object.entries(asked)) {
    const taken: number[] = [];
    for (let turn = 0; turn < 6; turn += 1) {
      const began = performance.now();
      await askAsOperator(query);
      taken.push(performance.now() - began);
    }
    times[name] = Number(median(taken.slice(1)).toFixed(1));
  }
  return times;
}

const folder = mkdtempSync(path.join(tmpdir(), 'flight-bench-'));
const server = await startPostgres();
const limits = { bytesLimit: 4 * gibibyte, ageMs: 1e12 };
const sqlite = openSqliteWriter({ ...limits, folder, onDamage: console.error });
const postgres = openPostgresWriter({ ...limits, url: server.url, isPatient: () => false, onGone: console.error });
try {
  console.log(
    `PostgreSQL ${server.version}, Node ${process.version}, ${rounds} rounds of ${batch * batchesARound} flights`,
  );
  await compareWriting(sqlite, postgres, server.pid);
  for (const writer of [sqlite, postgres]) {
    await writer.deleteAll();
    await fill(writer);
  }
  process.env['FLIGHT_DATA'] = folder;
  const ofSqlite = await timeQueries();
  process.env['DATABASE_URL'] = server.url;
  const ofPostgres = await timeQueries();
  console.log(`\nms, with ${stored} flights`);
  const names = Object.keys(ofSqlite);
  console.table(
    Object.fromEntries(names.map((name) => [name, { SQLite: ofSqlite[name], PostgreSQL: ofPostgres[name] }])),
  );
} finally {
  const { closeFlightsReader } = await import('#src/flights/recorder/flights-reader.ts');
  await closeFlightsReader(folder);
  await closeFlightsReader(server.url);
  await Promise.all([sqlite.close(), postgres.close()]);
  await server.stop();
  rmSync(folder, { recursive: true });
}
