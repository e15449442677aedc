import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

import './without-bundler.ts';

/**
 * What it takes to find each of a million digests whose errors were deleted, as the share of `FLIGHT_DATA_LIMIT` is derived from it
 * (src/faults/digests/evict-past-digests.ts):
 *
 *     npm run bench past-digests -- --digests 1000000 [--postgres]
 *
 * Errors with a digest each are stored and deleted, by a statement for a thousand. What is left, the trigger of the database wrote.
 * Then the retention of the product runs, and each digest is asked for, as the look-up asks.
 */
const { values: flags } = parseArgs({
  options: {
    digests: { type: 'string', default: '1000000' },
    faults: { type: 'string', default: '2000' },
    postgres: { type: 'boolean', default: false },
  },
});

const folder = mkdtempSync(path.join(tmpdir(), 'flight-bench-past-'));

const { sql } = await import('kysely');
const { openStore } = await import('#src/store/open-store.ts');
const { openPostgresStore } = await import('#src/store/postgres/open-postgres-store.ts');
const { startPostgres } = await import('../scripts/start-postgres.mjs');
const { enforceRetention } = await import('#src/faults/kept/retention.ts');
const { readPast } = await import('#src/faults/digests/find-past.ts');
const { listNearDigests } = await import('#src/faults/digests/compare-digests.ts');
const { findSpelled } = await import('#src/faults/digests/look-up-holders.ts');

const digests = Number(flags.digests);
const faults = Number(flags.faults);
const now = Date.now();
const atOnce = 1_000;
const server = flags.postgres ? await startPostgres() : undefined;
const store = server ? await openPostgresStore(server.url) : await openStore(folder);
const isSqlite = store.engine === 'sqlite';

/** The same for the same number: a digest of Next, one of ours, or an app's own with a mark and small letters. */
function toDigest(n: number): string {
  const spread = (n * 2_654_435_761) % 4_294_967_296;
  if (n % 10 === 0) return `pay-${spread.toString(36)}`;
  return n % 2 === 0 ? String(spread).padStart(10, '1') : spread.toString(32).toUpperCase().padStart(10, 'R');
}

async function measureBytes(): Promise<number> {
  if (isSqlite) {
    await sql`pragma wal_checkpoint(truncate)`.execute(store.db);
    return store.measureFill() * store.limitBytes;
  }
  await sql`vacuum past_origin, past_digest`.execute(store.db);
  const { rows } = await sql<{
    bytes: number;
  }>`select (pg_total_relation_size('past_digest') + pg_total_relation_size('past_origin'))::bigint as bytes`.execute(
    store.db,
  );
  return rows[0]?.bytes ?? 0;
}

async function storeFaults(): Promise<void> {
  for (let n = 0; n < faults; n += 1) {
    const texts = {
      name: 'Error',
      message: 'boom',
      culprit: '',
      level: 'error',
      first_release: '',
      last_release: '',
    } as const;
    const times = { first_time: now, last_time: now } as const;
    const state = { state: 'open', state_json: '{}', state_time: now, unseen: null, merged_into: null } as const;
    const fault = { id: `f${n}`, app: 'shop', side: 'server', ...texts, ...times, ...state } as const;
    await store.db.insertInto('fault').values(fault).execute();
    const hash = {
      hash: String(n).padStart(16, '0'),
      fault: `f${n}`,
      rule: 'frames',
      algorithm: 2,
      parts_json: '[]',
    } as const;
    const seen = { ...times, first_release: '', last_release: '' };
    await store.db
      .insertInto('fault_hash')
      .values({ app: 'shop', side: 'server', ...hash, ...seen })
      .execute();
  }
}

/** @returns milliseconds that the deletion of a thousand took */
async function storeAndDelete(from: number): Promise<number> {
  const rows = Array.from({ length: atOnce }, (_, index) => {
    const n = from + index;
    const request = { method: 'GET', path: `/orders/${n}`, route: '/orders/[id]', request_id: '', trace_id: '' };
    const texts = { name: 'Error', message: 'boom', stack: '', frames_json: '[]', causes_json: '[]', release: '' };
    const place = {
      app: 'shop',
      fault: `f${n % faults}`,
      fingerprint: String(n % faults).padStart(16, '0'),
      ordinal: n + 1,
    };
    const times = { time: now - digests + n, received_at: now - digests + n };
    return {
      id: `e${n}`,
      side: 'server',
      digest: toDigest(n),
      phase: 'rsc',
      kind: 'document',
      ...request,
      ...texts,
      ...place,
      ...times,
    } as const;
  });
  await store.db.transaction().execute(async (trx) => {
    for (let at = 0; at < rows.length; at += 250) {
      await trx
        .insertInto('event')
        .values(rows.slice(at, at + 250))
        .execute();
    }
  });
  const start = performance.now();
  await store.db.deleteFrom('event').where('side', '=', 'server').execute();
  return performance.now() - start;
}

function toQuantiles(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number) => (sorted[Math.floor((sorted.length - 1) * part)] ?? 0).toFixed(2);
  return `median ${at(0.5)} ms, p99 ${at(0.99)} ms, slowest ${at(1)} ms`;
}

async function time(count: number, ask: (n: number) => Promise<unknown>): Promise<string> {
  const times: number[] = [];
  for (let at = 0; at < count; at += 1) {
    const n = Math.floor((at * digests) / count);
    const start = performance.now();
    await ask(n);
    times.push(performance.now() - start);
  }
  return toQuantiles(times);
}

try {
  await storeFaults();
  const empty = await measureBytes();
  let deleting = 0;
  for (let from = 0; from < digests; from += atOnce) deleting += await storeAndDelete(from);
  const bytes = (await measureBytes()) - empty;
  console.log(
    `${digests} errors stored and deleted; the deletion took ${((deleting * 1_000) / digests).toFixed(0)} µs for each`,
  );
  console.log(
    `bytes a digest: ${(bytes / digests).toFixed(0)}, ${((100 * bytes) / store.limitBytes).toFixed(1)} % of the limit`,
  );
  const held = await store.db
    .selectFrom('kept_app')
    .select('bytes')
    .where('side', '=', 'past-digest')
    .executeTakeFirst();
  console.log(
    `as counted: ${((held?.bytes ?? 0) / digests).toFixed(0)}, ${((100 * (held?.bytes ?? 0)) / store.limitBytes).toFixed(1)} %`,
  );
  console.log(`retention deleted ${await enforceRetention(store, now, undefined, 0)} rows`);
  let found = 0;
  const start = performance.now();
  for (let n = 0; n < digests; n += 1) {
    const past = await readPast(store.db, 'shop', toDigest(n));
    if (past.some(({ fault }) => fault === `f${n % faults}`)) found += 1;
  }
  const each = ((performance.now() - start) * 1_000) / digests;
  console.log(
    `lead to their fault: ${found} of ${digests} (${((100 * found) / digests).toFixed(2)} %), ${each.toFixed(0)} µs each`,
  );
  console.log(`another spelling: ${await time(200, (n) => findSpelled(store.db, 'past', toDigest(n).toLowerCase()))}`);
  console.log(`one slip away: ${await time(200, (n) => listNearDigests(store.db, `${toDigest(n).slice(0, -1)}X`))}`);
} finally {
  await store.close();
  await server?.stop();
  rmSync(folder, { recursive: true });
}
