import { mkdtempSync, rmSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

/**
 * How long a merge, a split and what undoes them keep others waiting, where the fault has many rows (docs/decisions/038):
 *
 *     npm run bench fault-moves -- --rows 20000 [--postgres]
 *
 * Of each: what its form waits for, the longest transaction (on a busy machine its time of the processor tells more), how long the rest
 * took, and the longest time in which this thread, which serves pages, answered nobody.
 */
const { values: flags } = parseArgs({
  options: { rows: { type: 'string', default: '20000' }, postgres: { type: 'boolean', default: false } },
});

const stubs: Record<string, string> = {
  'server-only': '',
  '#src/access/require-operator.ts': 'export function requireOperator() {}',
};

// Modules of the server are imported here without a bundler, and nobody signs in.
registerHooks({
  resolve: (name, context, next) =>
    stubs[name] === undefined
      ? next(name, context)
      : { url: `data:text/javascript,${stubs[name]}`, shortCircuit: true },
});

const folder = mkdtempSync(path.join(tmpdir(), 'flight-bench-moves-'));
process.env['FLIGHT_DATA'] = folder;

const { startPostgres } = await import('../scripts/start-postgres.mjs');
const server = flags.postgres ? await startPostgres() : undefined;
if (server) process.env['DATABASE_URL'] = server.url;

const { openStore } = await import('#src/store/open-store.ts');
const { computeGrouping } = await import('#src/runtime/errors/fingerprint.ts');
const { noteEvent } = await import('#src/faults/grouping/note-row.ts');
const { mergeFaults, splitFault } = await import('#src/faults/grouping/merge-faults.ts');
const { splitFaultBy, partRest } = await import('#src/faults/grouping/split-by.ts');
const { undoActivities } = await import('#src/faults/grouping/undo-activities.ts');
const { followRest } = await import('#src/faults/grouping/follow-hashes.ts');

const store = await openStore();
const rows = Number(flags.rows);
const filler = 'x'.repeat(2_000);
const users = 5_000;

/** @returns its fault */
async function storeErrors(name: string, count: number): Promise<string> {
  let fault = '';
  for (let from = 0; from < count; from += 200) {
    await store.transact(async (trx) => {
      for (let at = from; at < Math.min(count, from + 200); at += 1) {
        const context = { firstLine: 3, lines: [`line${at % 3}();`] };
        const place = { fn: 'save', file: '/srv/save.js', source: 'src/save.ts', line: 3, column: 1, inApp: true };
        const frames = [{ ...place, context }];
        const grouping = computeGrouping({ name: 'Error', message: 'failed', frames, causes: [], given: [name] });
        const texts = { name: 'Error', message: 'failed', stack: filler, causes_json: '[]', release: 'v1' };
        const request = {
          phase: 'rsc',
          kind: 'document',
          method: 'GET',
          path: '/',
          request_id: '',
          trace_id: '',
        } as const;
        const row = {
          ...texts,
          ...request,
          id: `${name}${at}`,
          side: 'server' as const,
          digest: `${name}${at}`,
          app: 'shop',
          time: 1_000_000 + at,
          received_at: 1_000_000 + at,
          frames_json: JSON.stringify(frames),
          breadcrumbs_json: JSON.stringify([filler]),
          user_key: `u${at % users}`,
        };
        const { columns } = await noteEvent(trx, row, { grouping, frames });
        fault = columns.fault ?? '';
        await trx
          .insertInto('event')
          .values({ ...row, ...columns })
          .execute();
      }
    });
  }
  return fault;
}

let longest = 0;
let busiest = 0;
const { transact } = store;
// What each transaction takes, from when it is asked for: on SQLite they run one after the other.
Object.assign(store, {
  transact: async (...given: Parameters<typeof transact>) => {
    const start = performance.now();
    const before = process.threadCpuUsage();
    const result = await transact(...given);
    const { user, system } = process.threadCpuUsage(before);
    busiest = Math.max(busiest, (user + system) / 1_000);
    longest = Math.max(longest, performance.now() - start);
    return result;
  },
});

/** As `/healthz` would have waited. */
let stalled = 0;
let looked = performance.now();
const looking = setInterval(() => {
  const now = performance.now();
  stalled = Math.max(stalled, now - looked);
  looked = now;
}, 1);

async function countBehind(): Promise<number> {
  const { count } = await store.db
    .selectFrom('event')
    .where('event.side', '=', 'server')
    .innerJoin('fault_hash', (join) =>
      join.onRef('fault_hash.app', '=', 'event.app').onRef('fault_hash.hash', '=', 'event.fingerprint'),
    )
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .whereRef('event.fault', '!=', 'fault_hash.fault')
    .executeTakeFirstOrThrow();
  return count;
}

async function measure(what: string, run: () => ReturnType<typeof undoActivities>): Promise<string> {
  await new Promise((resolve) => setTimeout(resolve, 50));
  [longest, busiest, stalled, looked] = [0, 0, 0, performance.now()];
  const start = performance.now();
  const result = await run();
  const form = performance.now() - start;
  await followRest(store);
  await partRest(store);
  const all = performance.now() - start;
  await new Promise((resolve) => setTimeout(resolve, 10));
  const figures = [
    `form ${form.toFixed(0)} ms`,
    `longest transaction ${longest.toFixed(0)} ms (${busiest.toFixed(0)} ms of the processor)`,
  ];
  const waited = `longest wait of others ${stalled.toFixed(0)} ms, all done after ${(all / 1_000).toFixed(1)} s`;
  console.log(`${what}: ${figures.join(', ')}, ${waited}; behind: ${await countBehind()}`);
  if (result.type !== 'done') throw new Error(`${what}: ${JSON.stringify(result)}`);
  return result.batch;
}

try {
  const large = await storeErrors('large', rows);
  const small = await storeErrors('small', 200);
  const { hash } = await store.db
    .selectFrom('fault_hash')
    .select('hash')
    .where('fault', '=', large)
    .executeTakeFirstOrThrow();
  const merged = await measure('merge', () => mergeFaults([large], small));
  await measure('undo the merge', () => undoActivities({ batch: merged }));
  await measure('merge again', () => mergeFaults([large], small));
  const split = await measure('split off a fingerprint', () => splitFault(small, [hash]));
  await measure('undo that split', () => undoActivities({ batch: split }));
  const parted = await measure('split by line', () => splitFaultBy(small, 'line'));
  await measure('undo the split by line', () => undoActivities({ batch: parted }));
} finally {
  clearInterval(looking);
  await store.close();
  await server?.stop();
  rmSync(folder, { recursive: true });
}
