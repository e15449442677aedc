import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { writeFlightFile } from '#flight';
import { ensureApp, forgetApps } from '#src/apps/apps.ts';
import { appErrorsPath, appFlightsPath } from '#src/server/http/addresses.ts';
import type { SentAppError } from '#src/faults/app-errors/read-app-errors.ts';
import { openStore } from '#src/store/open-store.ts';
import { openPostgresStore } from '#src/store/postgres/open-postgres-store.ts';

import { findFreePort, runServer, type RunningApp } from '../fixture-app.ts';

/** Where a recorder keeps what it has: `url` for PostgreSQL, the folder for SQLite. */
export type Place = { readonly folder: string; readonly url?: string };

export function makeFolder(): string {
  return mkdtempSync(path.join(tmpdir(), 'flight-bench-scale-'));
}

function toSettings({ folder, url }: Place): NodeJS.ProcessEnv {
  const { DATABASE_URL: _, ...others } = process.env;
  return { ...others, FLIGHT_DATA: folder, ...(url === undefined ? {} : { DATABASE_URL: url }) };
}

/** The built server. What it keeps has room: deleting is not what is measured. */
export async function startRecorder(place: Place, nodeFlags: readonly string[] = []): Promise<RunningApp> {
  return runServer([...nodeFlags, 'dist/serve-node.js'], {
    port: await findFreePort(),
    cwd: path.join(import.meta.dirname, '../..'),
    env: {
      ...toSettings(place),
      NODE_ENV: 'production',
      FLIGHT_AUTH: 'off',
      FLIGHT_DATA_LIMIT: '200GiB',
      RECORD: 'all',
      RECORD_MIB: '100000',
      RECORD_DAYS: '1000',
    },
    readyPath: '/readyz',
  });
}

/** Makes the tables, and the apps. @returns the secret key of each app */
export async function addApps(place: Place, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const store = place.url === undefined ? await openStore(place.folder) : await openPostgresStore(place.url);
  // Those of another database.
  forgetApps();
  try {
    const keys = new Map<string, string>();
    for (const id of ids) {
      const app = await ensureApp(id, store);
      keys.set(id, app.secretKey);
    }
    return keys;
  } finally {
    await store.close();
  }
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

const failures = [
  ['TypeError', "Cannot read properties of undefined (reading 'price')"],
  ['Error', 'The payment service answered 503'],
  ['RangeError', 'Invalid time value'],
  ['DatabaseError', 'deadlock detected'],
  ['SyntaxError', 'Unexpected token < in JSON at position 0'],
] as const;
const places = ['cart', 'checkout', 'search', 'profile'] as const;
/** Of each failure in each place: so many faults. */
export const kinds = failures.length * places.length;

function createFrames(place: string, name: string, length: number) {
  return Array.from({ length }, (_, index) => ({
    fn: index === 0 ? `read${name}` : `render${place}${index}`,
    file: index < 4 ? `src/${place}/${name.toLowerCase()}-${index}.tsx` : `node_modules/framework/server-${index}.js`,
    line: 10 + index,
    column: 7,
    inApp: index < 4,
    ...(index < 2
      ? {
          context: {
            firstLine: 8 + index,
            lines: Array.from({ length: 5 }, (__, line) => `  const value${line} = await load(${place}, ${line});`),
          },
        }
      : {}),
  }));
}

/** As an app's sender sends it: some 3 kB with a dozen frames. */
export function createError(number: number, length = 12): SentAppError {
  const [name, message] = failures[number % failures.length] ?? failures[0];
  const place = places[Math.floor(number / failures.length) % places.length] ?? places[0];
  const frames = createFrames(place, name, length);
  const time = Date.now();
  return {
    id: randomBytes(16).toString('hex'),
    time,
    digest: randomBytes(5).toString('hex'),
    framework: 'next',
    phase: 'rsc',
    kind: 'document',
    route: `/${place}/[id]`,
    request: {
      method: 'GET',
      path: `/${place}/${number}`,
      id: randomBytes(16).toString('hex'),
      traceId: randomBytes(16).toString('hex'),
    },
    release: 'v1.4.2',
    runtime: 'node 24.1.0',
    name,
    message,
    stack: `${name}: ${message}\n${frames.map(({ fn, file, line }) => `    at ${fn} (${file}:${line}:7)`).join('\n')}`,
    frames,
    breadcrumbs: ['cart', 'user', 'stock'].map((what) => ({ time, category: 'fetch', message: `GET /${what} 200` })),
  };
}

const page = `0:${JSON.stringify('row '.repeat(1_500))}\n`;

/** A flight file of 6 kB, of which each has another content. */
export function createFlightLine(number: number): string {
  const requestId = randomBytes(16).toString('hex');
  const body = Buffer.from(`1:"${requestId}"\n${page}`);
  const at = `/product/${number % 50}`;
  return writeFlightFile({
    facts: {
      requestId,
      traceId: randomBytes(16).toString('hex'),
      visit: null,
      kind: number % 3 === 0 ? 'prefetch' : 'navigation',
      method: 'GET',
      path: at,
      query: [],
      route: '/product/[id]',
      build: 'v1.4.2',
      status: 200,
      rendering: 'dynamic',
      outcome: 'complete',
      startedAt: new Date().toISOString(),
      firstByteMs: 3,
      durationMs: number % 997,
      bytes: body.length,
      digests: [],
      action: null,
      hits: 1,
      lastAt: null,
    },
    content: 'flight',
    chunks: [[3, body.length]],
    body,
    debug: null,
    elements: ['root', `page:${at}`],
    elided: [],
    arguments: null,
  }).trimEnd();
}

type Sent = { readonly app: string; readonly key: string; readonly origin: string };

/** A server on a busy machine turns some requests away, and says so. That is asked again: it is not what is measured. */
const busyWaitMs = 500;
const busyTries = 60;

/** @throws when it is answered anything but 200, or turned away for half a minute */
export async function ask(url: string, init: RequestInit = {}): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const response = await fetch(url, init);
    const text = await response.text();
    if (response.ok) return;
    if (response.status !== 503 || tries === busyTries) {
      throw new Error(`${url} was answered ${response.status}: ${text.slice(0, 300)}`);
    }
    await wait(busyWaitMs);
  }
}

function post({ key }: Sent, url: string, type: string, body: string): Promise<void> {
  return ask(url, { method: 'POST', headers: { 'content-type': type, authorization: `Bearer ${key}` }, body });
}

export function sendErrors(to: Sent, errors: readonly SentAppError[]): Promise<void> {
  return post(to, to.origin + appErrorsPath(to.app), 'application/json', JSON.stringify({ errors }));
}

export function sendFlights(to: Sent, lines: readonly string[]): Promise<void> {
  return post(to, to.origin + appFlightsPath(to.app), 'application/x-ndjson', lines.join('\n'));
}
