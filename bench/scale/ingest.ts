import { setTimeout as wait } from 'node:timers/promises';

import { startPostgres } from '../../scripts/start-postgres.mjs';
import type { RunningApp } from '../fixture-app.ts';
import { readCpuSeconds, readTreeSeconds } from '../process-usage.ts';
import { median, show } from '../samples.ts';
import {
  addApps,
  createError,
  createFlightLine,
  makeFolder,
  type Place,
  removeFolder,
  sendErrors,
  sendFlights,
  startRecorder,
} from './recorder.ts';

/**
 * What it costs to take errors and flights: with one server on SQLite, and with one and three on one PostgreSQL, which writes to its
 * disk before it answers (`fsync`). Each round begins with new servers and an empty database.
 *
 * Who sends is limited: an app may send 600 errors at once and all of them 2,000, divided among the servers of a database
 * (src/faults/middleware/app-errors.ts). So a round sends fewer, of ten apps, and ends: an error that is turned away for the server's load
 * is sent again, and counts again.
 */
const apps = Array.from({ length: 10 }, (_, number) => `app-${number}`);
const errorsSent = 1_500;
const flightsSent = 4_000;
const flightsInRequest = 20;
/** Senders that wait for each answer. More of them than this would have the server turn errors away, to have time for pages. */
const senders = 6;
const flightSenders = 3;

type Setting = { readonly title: string; readonly engine: 'sqlite' | 'postgres'; readonly servers: number };

const sets: readonly Setting[] = [
  { title: 'SQLite, 1 server', engine: 'sqlite', servers: 1 },
  { title: 'PostgreSQL, 1 server', engine: 'postgres', servers: 1 },
  { title: 'PostgreSQL, 3 servers', engine: 'postgres', servers: 3 },
];

type Sample = { readonly perSecond: number; readonly serversMs: number; readonly databaseMs: number };

/** Sends `count` times, by several senders at once, each of which waits for its answer. */
async function sendAll(count: number, atOnce: number, send: (number: number) => Promise<void>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < count) await send(next++);
    }),
  );
}

type Running = {
  readonly recorders: readonly RunningApp[];
  readonly keys: ReadonlyMap<string, string>;
  readonly databasePid: number | undefined;
};

async function measure({ recorders, databasePid }: Running, items: number, send: () => Promise<void>): Promise<Sample> {
  const readServers = () => recorders.reduce((sum, { pid }) => sum + (readCpuSeconds(pid) ?? Number.NaN), 0);
  const readDatabase = () => (databasePid === undefined ? 0 : (readTreeSeconds(databasePid) ?? Number.NaN));
  const [servers, database, began] = [readServers(), readDatabase(), performance.now()];
  await send();
  const perSecond = (items * 1_000) / (performance.now() - began);
  return {
    perSecond,
    serversMs: ((readServers() - servers) * 1_000) / items,
    databaseMs: ((readDatabase() - database) * 1_000) / items,
  };
}

async function measureBoth(running: Running): Promise<{ readonly errors: Sample; readonly flights: Sample }> {
  const { recorders, keys } = running;
  function to(number: number) {
    const app = apps[number % apps.length] ?? '';
    return { app, key: keys.get(app) ?? '', origin: recorders[number % recorders.length]?.origin ?? '' };
  }
  // What is loaded and compiled with the first of them is not counted.
  await sendAll(100, senders, (number) => sendErrors(to(number), [createError(number)]));
  await sendAll(30, flightSenders, (number) => sendFlights(to(number), [createFlightLine(number)]));
  const errors = await measure(running, errorsSent, () =>
    sendAll(errorsSent, senders, (number) => sendErrors(to(number), [createError(number)])),
  );
  const flights = await measure(running, flightsSent, () =>
    sendAll(flightsSent / flightsInRequest, flightSenders, (number) =>
      sendFlights(
        to(number),
        Array.from({ length: flightsInRequest }, (_, index) => createFlightLine(index)),
      ),
    ),
  );
  return { errors, flights };
}

async function runSet({ engine, servers }: Setting): Promise<{ readonly errors: Sample; readonly flights: Sample }> {
  const folders = Array.from({ length: servers }, makeFolder);
  const database = engine === 'postgres' ? await startPostgres({ fsync: true }) : undefined;
  const places = folders.map((folder): Place => ({ folder, ...(database ? { url: database.url } : {}) }));
  const recorders: RunningApp[] = [];
  try {
    const keys = await addApps(places[0] ?? { folder: '' }, apps);
    for (const place of places) recorders.push(await startRecorder(place));
    // Servers hear of each other after their first sign of life.
    await wait(2_000);
    return await measureBoth({ recorders, keys, databasePid: database?.pid });
  } finally {
    await Promise.all(recorders.map((recorder) => recorder.stop()));
    await database?.stop();
    folders.forEach(removeFolder);
  }
}

function summarise(samples: readonly Sample[]): Record<string, string> {
  const of = (read: (sample: Sample) => number, digits: number) => show(median(samples.map(read)), digits);
  return {
    'a second': of(({ perSecond }) => perSecond, 0),
    'servers’ CPU ms': of(({ serversMs }) => serversMs, 3),
    'database’s CPU ms': of(({ databaseMs }) => databaseMs, 3),
  };
}

export async function compareIngest(rounds: number): Promise<void> {
  console.log(
    `${rounds} rounds, of ${errorsSent} errors, one a request, and ${flightsSent} flights, ${flightsInRequest} a request`,
  );
  const results = new Map(
    sets.map(({ title }) => [title, { errors: new Array<Sample>(), flights: new Array<Sample>() }]),
  );
  for (let round = 1; round <= rounds; round += 1) {
    for (const set of sets) {
      const { errors, flights } = await runSet(set);
      const inASecond = (sample: Sample) => `${show(sample.perSecond, 0)} a second`;
      console.log(`round ${round}, ${set.title}: errors ${inASecond(errors)}, flights ${inASecond(flights)}`);
      results.get(set.title)?.errors.push(errors);
      results.get(set.title)?.flights.push(flights);
    }
  }
  for (const what of ['errors', 'flights'] as const) {
    console.log(`\nfor one of the ${what}`);
    console.table(Object.fromEntries([...results].map(([title, result]) => [title, summarise(result[what])])));
  }
}
