import { setTimeout as wait } from 'node:timers/promises';

import { Client } from 'pg';

import { startPostgres } from '../../scripts/start-postgres.mjs';
import type { RunningApp } from '../fixture-app.ts';
import { readCpuSeconds } from '../process-usage.ts';
import { median, show } from '../samples.ts';
import { fillPostgres, rareWord } from './fill-postgres.ts';
import {
  addApps,
  ask,
  createError,
  createFlightLine,
  kinds,
  makeFolder,
  type Place,
  removeFolder,
  sendErrors,
  sendFlights,
  startRecorder,
} from './recorder.ts';

/**
 * How the time of a page grows with what is stored. PostgreSQL's own time is that of `pg_stat_statements`: of all statements that
 * a page caused, added up. It does not depend on what the network or the server in between do.
 */
type GrowthOptions = {
  readonly sizes: readonly number[];
  readonly flights: number;
  /** Also prints each page's slowest statement, and leaves the databases to whoever looks at plans (with `TEST_DATABASE_URL`). */
  readonly explains: boolean;
};

/** Short rows: what is measured does not read them, and a million of them fit on a small disk. */
const patternFrames = 3;
const turns = 5;
/** A page that takes longer is not asked five times. */
const slowMs = 2_000;

/** Rows that the recorder has written itself: one of each kind of fault, and some flights. */
async function storePatterns(place: Place): Promise<void> {
  const key = (await addApps(place, ['shop'])).get('shop') ?? '';
  const recorder = await startRecorder(place);
  try {
    const to = { app: 'shop', key, origin: recorder.origin };
    await sendErrors(
      to,
      Array.from({ length: kinds }, (_, number) => createError(number, patternFrames)),
    );
    await sendFlights(
      to,
      Array.from({ length: 20 }, (_, number) => createFlightLine(number)),
    );
    // What is due for the search is written with the errors; alerts look for new activities once in a while.
    await wait(1_000);
  } finally {
    await recorder.stop();
  }
}

type Row = Readonly<Record<string, string>>;

async function readOne(client: Client, text: string): Promise<Row> {
  const { rows } = await client.query<Row>(text);
  return rows[0] ?? {};
}

async function listPages(client: Client, errors: number): Promise<Readonly<Record<string, string>>> {
  const error = await readOne(
    client,
    `select id, digest, fault from event where side = 'server' order by time desc limit 1`,
  );
  const flight = await readOne(client, `select id from flight where app = 'shop' order by id desc offset 50 limit 1`);
  return {
    'front page': '/',
    'faults: open': '/faults',
    'faults: any state, second page': `/faults?state=any&sort=count`,
    'faults: of a release': '/faults?release=v1.12',
    'faults: a part of a route': '/faults?route=cart',
    'faults: a rare word': `/faults?q=${rareWord(errors)}`,
    'faults: a common word': '/faults?q=deadlock',
    'faults: a word of every error': '/faults?q=framework',
    'a fault': `/faults/${error['fault']}`,
    'a digest': `/digest/${error['digest']}`,
    'an error': `/errors/${error['id']}`,
    'flights: newest': '/flights',
    'flights: a part of a route': '/flights?route=product/19',
    'flights: nothing matches': '/flights?route=nowhere',
    'flights: the slowest': '/flights?sort=duration',
    'flights: routes': '/flights?view=routes',
    'a flight': `/flights/${flight['id']}`,
    'the app': '/apps/shop',
    runtime: '/runtime',
  };
}

const ofPages = `from pg_stat_statements as s join pg_database as d on d.oid = s.dbid
  where d.datname = current_database() and s.query not like '%pg_stat_statements%' and s.query not like 'select pg_notify%'`;

type Times = Record<string, string>;

async function timePage(
  client: Client | undefined,
  recorder: RunningApp,
  path: string,
  explains: boolean,
): Promise<Times> {
  await ask(recorder.origin + path);
  await client?.query('select pg_stat_statements_reset()');
  const cpu = readCpuSeconds(recorder.pid) ?? Number.NaN;
  const taken: number[] = [];
  while (taken.length < turns && (taken[0] ?? 0) < slowMs) {
    const began = performance.now();
    await ask(recorder.origin + path);
    taken.push(performance.now() - began);
  }
  const cpuMs = (((readCpuSeconds(recorder.pid) ?? Number.NaN) - cpu) * 1_000) / taken.length;
  const times = { 'page ms': show(median(taken), 0), 'server’s CPU ms': show(cpuMs, 0) };
  if (!client) return times;
  const { sum } = await readOne(client, `select sum(total_exec_time)::text as sum ${ofPages}`);
  if (explains) {
    const slowest = await readOne(
      client,
      `select query, mean_exec_time::text as ms, calls::text ${ofPages} order by total_exec_time desc limit 1`,
    );
    console.log(`${path}: ${slowest['ms']} ms × ${slowest['calls']}: ${slowest['query']?.replaceAll(/\s+/g, ' ')}`);
  }
  return { ...times, 'SQL ms': show(Number(sum) / taken.length, 1) };
}

async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function measureSize(client: Client, place: Place, errors: number, options: GrowthOptions): Promise<void> {
  await client.query('create extension pg_stat_statements');
  const began = performance.now();
  await fillPostgres(client, errors, options.flights);
  const { size } = await readOne(client, 'select pg_size_pretty(pg_database_size(current_database())) as size');
  const seconds = show((performance.now() - began) / 1_000, 0);
  console.log(`${errors} errors, ${options.flights} flights, ${size}, filled in ${seconds} s`);
  const recorder = await startRecorder(place);
  try {
    const table: Record<string, Times> = {};
    for (const [name, path] of Object.entries(await listPages(client, errors))) {
      table[name] = await timePage(client, recorder, path, options.explains);
    }
    console.table(table);
  } finally {
    await recorder.stop();
  }
}

export async function measureGrowth(options: GrowthOptions): Promise<void> {
  const server = await startPostgres({
    settings: {
      shared_preload_libraries: 'pg_stat_statements',
      shared_buffers: '1GB',
      max_wal_size: '4GB',
      maintenance_work_mem: '512MB',
    },
  });
  const folder = makeFolder();
  console.log(`PostgreSQL ${server.version}, Node ${process.version}`);
  try {
    for (const errors of options.sizes) {
      const name = `growth_${errors}`;
      await withClient(server.url, (client) => client.query(`create database ${name}`));
      const place = { folder, url: server.urlOf(name) };
      await storePatterns(place);
      await withClient(place.url, (client) => measureSize(client, place, errors, options));
      if (!options.explains) {
        await withClient(server.url, (client) => client.query(`drop database ${name} with (force)`));
      }
    }
  } finally {
    await server.stop();
    removeFolder(folder);
  }
}
