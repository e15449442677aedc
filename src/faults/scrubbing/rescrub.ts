import 'server-only';

import { setImmediate as nextTurn, setTimeout } from 'node:timers/promises';

import { type RawBuilder, sql } from 'kysely';

import { describeError } from '#boundary';
import { writeLog } from '#src/server/http/log.ts';
import { requireOperator } from '#src/access/require-operator.ts';
import { type Scrubbed, scrubbedColumns } from '#src/store/event-columns.ts';
import { openStore, type Store } from '#src/store/open-store.ts';

import { scrubPath, scrubSecrets, scrubText } from './scrub.ts';
import { rescrubBreadcrumbs, rescrubData, rescrubTexts, type Scrub } from './rescrub-row.ts';

/**
 * Applies today's rules to what was stored under older ones: in the background, a few rows at a time. Rows that come meanwhile are
 * scrubbed already. It can be started again at any time, also after a process that ended in the middle of it: rows without
 * anything to remove stay as they are. Fingerprints stay too, since they only tell faults apart.
 */
export type RescrubState =
  | { readonly type: 'never' }
  | { readonly type: 'running'; readonly done: number; readonly total: number; readonly changed: number }
  | { readonly type: 'done'; readonly at: number; readonly total: number; readonly changed: number }
  | { readonly type: 'failed'; readonly reason: string };

/** A row of the usual 10 KiB takes some tenths of a millisecond, one of hostile 150 KiB some 14 ms. */
const rowsAtOnce = 10;
const pauseMs = 20;

let state: RescrubState = { type: 'never' };

export function readRescrub(): RescrubState {
  requireOperator();
  return state;
}

type Texts = Readonly<Record<string, string | null>>;

type Part = {
  readonly table: 'event' | 'feedback' | 'fault' | 'fault_hash';
  readonly columns: readonly string[];
  /** Whether the row has a column with the size of its texts. */
  readonly isCounted: boolean;
  readonly rescrub: (texts: Texts, scrub: Scrub) => Texts;
};

function apply(texts: Texts, column: string, change: (text: string) => string): Texts {
  const text = texts[column];
  return typeof text === 'string' ? { [column]: change(text) } : {};
}

function applyAll(texts: Texts, columns: readonly string[], change: (text: string) => string): Texts {
  return Object.assign({}, ...columns.map((column) => apply(texts, column, change)));
}

/** As what it is said to be: src/store/event-columns.ts. */
function rescrubText(text: string, scrubbed: Scrubbed, scrub: Scrub): string {
  switch (scrubbed) {
    case 'never':
      return text;
    case 'text':
      return scrub(text);
    case 'path':
      return text.startsWith('/') ? scrubPath(text) : text;
    case 'texts':
      return rescrubTexts(text, scrub);
    case 'breadcrumbs':
      return rescrubBreadcrumbs(text, scrub);
    case 'data':
      return rescrubData(text, scrub);
  }
}

/** Also what the columns of feedback with the same names are. */
function rescrubEvent(texts: Texts, scrub: Scrub): Texts {
  return Object.assign(
    {},
    ...scrubbedColumns.map(({ name, scrubbed }) => apply(texts, name, (text) => rescrubText(text, scrubbed, scrub))),
  );
}

const parts: readonly Part[] = [
  { table: 'event', columns: scrubbedColumns.map(({ name }) => name), isCounted: true, rescrub: rescrubEvent },
  {
    table: 'feedback',
    columns: ['name', 'message', 'path'],
    isCounted: true,
    rescrub: rescrubEvent,
  },
  {
    table: 'fault',
    columns: ['name', 'message', 'culprit'],
    isCounted: false,
    rescrub: (texts, scrub) => applyAll(texts, ['name', 'message', 'culprit'], scrub),
  },
  {
    table: 'fault_hash',
    columns: ['parts_json'],
    isCounted: false,
    rescrub: (texts, scrub) => apply(texts, 'parts_json', (json) => rescrubTexts(json, scrub)),
  },
];

type Row = Texts & { readonly rowid: number; readonly isOfServer: number };

/** Which rules were used when it was stored: a server's texts keep addresses. */
function writeSource(table: Part['table']) {
  switch (table) {
    case 'event':
    case 'fault':
      return sql`case when side = 'server' then 1 else 0 end`;
    case 'fault_hash':
      return sql`case when exists (select 1 from fault where fault.id = fault_hash.fault and fault.side = 'server')
        then 1 else 0 end`;
    case 'feedback':
      return sql`0`;
  }
}

function measure(texts: Texts, columns: readonly string[]): number {
  return columns.reduce((sum, column) => sum + Buffer.byteLength(texts[column] ?? ''), 0);
}

/** Returns undefined when there is nothing to remove. */
function writeUpdate(part: Part, row: Row): RawBuilder<unknown> | undefined {
  const scrubbed = part.rescrub(row, row.isOfServer === 1 ? scrubSecrets : scrubText);
  const changed = Object.keys(scrubbed).filter((column) => scrubbed[column] !== row[column]);
  if (changed.length === 0) return undefined;
  const bytes = sql`bytes = bytes + ${measure(scrubbed, changed) - measure(row, changed)}`;
  const assignments = changed.map((column) => sql`${sql.ref(column)} = ${scrubbed[column]}`);
  // What was changed since it was read stays as it is: whoever changed it has scrubbed it, and measured it.
  const same = changed.map((column) => sql`${sql.ref(column)} is not distinct from ${row[column]}`);
  return sql`update ${sql.table(part.table)} set ${sql.join(part.isCounted ? [...assignments, bytes] : assignments)}
    where rowid = ${row.rowid} and ${sql.join(same, sql` and `)}`;
}

async function listRows({ db }: Store, { table, columns }: Part, after: number): Promise<readonly Row[]> {
  const { rows } =
    await sql<Row>`select rowid, ${writeSource(table)} as "isOfServer", ${sql.join(columns.map((column) => sql.ref(column)))}
    from ${sql.table(table)} where rowid > ${after} order by rowid limit ${rowsAtOnce}`.execute(db);
  return rows;
}

async function countRows({ db }: Store): Promise<number> {
  const counts = parts.map(({ table }) => sql`(select count(*) from ${sql.table(table)})`);
  const { rows } = await sql<{ total: number }>`select ${sql.join(counts, sql` + `)} as total`.execute(db);
  return rows[0]?.total ?? 0;
}

async function rescrubAll(store: Store): Promise<RescrubState> {
  const total = await countRows(store);
  let done = 0;
  let changed = 0;
  for (const part of parts) {
    let rows = await listRows(store, part, 0);
    while (rows.length > 0) {
      const updates: RawBuilder<unknown>[] = [];
      for (const row of rows) {
        const update = writeUpdate(part, row);
        if (update) updates.push(update);
        // A hostile row takes as long as a page: pages are served in between.
        await nextTurn();
      }
      if (updates.length > 0) {
        await store.transact(async (trx) => {
          for (const update of updates) await update.execute(trx);
        });
      }
      done += rows.length;
      changed += updates.length;
      state = { type: 'running', done, total: Math.max(total, done), changed };
      await setTimeout(pauseMs, undefined, { ref: false });
      rows = await listRows(store, part, rows.at(-1)?.rowid ?? 0);
    }
  }
  return { type: 'done', at: Date.now(), total: done, changed };
}

/** Never throws: nobody waits for it. */
async function run(store: Store): Promise<void> {
  try {
    state = await rescrubAll(store);
    writeLog('info', 'scrubbed-again', state.type === 'done' ? { rows: state.total, changed: state.changed } : {});
  } catch (error) {
    const reason = describeError(error);
    state = { type: 'failed', reason };
    writeLog('error', 'not-scrubbed-again', { reason });
  }
}

/**
 * @returns false when it runs already
 * @param onRunning called with the promise that resolves at its end
 */
export async function startRescrub(onRunning: (done: Promise<void>) => void = () => {}): Promise<boolean> {
  requireOperator();
  const store = await openStore();
  if (state.type === 'running') return false;
  state = { type: 'running', done: 0, total: 0, changed: 0 };
  onRunning(run(store));
  return true;
}
