import type { KnownSecret } from '#flight';
import { readPostgresCode } from '#src/store/postgres/postgres-errors.ts';

import { otherNetworks, triesKept } from '../../flight/forged-try.ts';
import { createGuardCounts } from '../count-for-guard.ts';
import { leakTable, stormTable, writeCountedInsert, type CountedTable } from '../counted-table.ts';
import { countAgain, toTryValues, tryColumns } from '../insert-try.ts';
import type { DescribedExchange } from '../exchange/describe-exchange.ts';
import type { FlightWriter, UsageNote, WriterState } from '../flight-writer.ts';
import { guessedAmong, guessedWithinMs, isEither, isNotToldUsed, mayBePrefetch, rememberIn } from '../prepare.ts';
import { createWritten, type TellFlights } from '../written.ts';
import {
  openConnection,
  writeLock,
  type ConnectionOptions,
  type FlightsConnection,
  type Transaction,
} from './connection.ts';
import { deleteOne, deleteSlice } from './delete-flights.ts';
import {
  addLosses,
  addSpans,
  deleteOfApp,
  deleteOldCounts,
  keepInstalled,
  keepModules,
  keepRecord,
} from './keep-of-app.ts';
import {
  dropAll,
  dropBeyond,
  dropOlderThan,
  ensurePart,
  listBeyond,
  listEndedBefore,
  readParts,
  sumBytes,
} from './parts.ts';
import { createEntryReader, type ReadEntries } from './read-entries.ts';
import { type Given, NoPart, noteLearnt, writeRows } from './write-rows.ts';

/**
 * Flights in PostgreSQL. Several processes write at once: connection.ts says what keeps them apart. All of them together keep to the
 * size that the recording may have, since what is measured is the tables.
 *
 * Like SQLite's file, flights are not flushed with each commit (`synchronous_commit = off`): what was committed survives a crash of
 * this process; a crash of the database may take the last moments.
 */
export type PostgresWriterOptions = ConnectionOptions & {
  /** Of all instances together. */
  readonly bytesLimit: number;
  readonly ageMs: number;
  readonly tell?: TellFlights | undefined;
  /** What is looked for besides keys of providers. */
  readonly knownSecrets?: readonly KnownSecret[] | undefined;
};

const unflushed = 'set local synchronous_commit = off';
const adding = `${unflushed}; ${writeLock('content', true)}`;

/** The size is measured when so much was written since, as a share of the limit; and after this time, for what others write. */
const measuredShare = 1 / 64;
const measureEveryMs = 10_000;
/** A flight's row with its entries in the indexes, without its body. */
const rowBytes = 1_024;
/** Prefetches that a browser reported as used before they were written. */
const usedAhead = 1_000;
/** 23514: there is no part for a row. 42P01: nor a table. Another instance has just deleted everything. */
const partGone = new Set(['23514', '42P01']);

async function noteUsed(transaction: Transaction, notes: readonly UsageNote[]): Promise<ReadonlySet<string>> {
  const used = notes.flatMap(({ time, used: ids }) => ids.map((id) => ({ id, time })));
  if (used.length === 0) return new Set();
  const rows = await transaction.query<{ id: string }>(
    `update flight set used_at = used.time from unnest($1::text[], $2::bigint[]) as used (id, time)
    where flight.request_id = used.id
      and flight.kind = 'prefetch' and flight.used_at is null
    returning used.id as id`,
    [used.map(({ id }) => id), used.map(({ time }) => Math.round(time))],
  );
  return new Set(rows.map(({ id }) => id));
}

async function noteClosed(transaction: Transaction, notes: readonly UsageNote[]): Promise<void> {
  const closed = notes.flatMap(({ time, closedTrace }) => (closedTrace === undefined ? [] : [{ time, closedTrace }]));
  if (closed.length === 0) return;
  await transaction.query(
    `update flight set closed_at = closed.time from unnest($1::text[], $2::bigint[]) as closed (trace, time)
    where flight.trace_id = closed.trace
      and flight.kind = 'prefetch' and flight.used_at is null and flight.closed_at is null`,
    [closed.map(({ closedTrace }) => closedTrace), closed.map(({ time }) => Math.round(time))],
  );
}

/** It may think better of it: a page that was left can come back. */
async function noteReported(transaction: Transaction, notes: readonly UsageNote[]): Promise<void> {
  for (const { time, told } of notes) {
    if (!told) continue;
    const set = (values: string, ids: readonly string[], where: string) =>
      transaction.query(
        `update flight set ${values}, told_at = $1::bigint from unnest($2::text[]) as told (id)
        where flight.request_id = told.id
          and ${where} and flight.source = 'proxy' and flight.app = $3`,
        [Math.round(time), ids, told.app],
      );
    const { used, unused, clicks, links, vitals } = told;
    if (used.length > 0) {
      await set("kind = 'prefetch', used_at = $1::bigint, closed_at = null", used, mayBePrefetch);
      // As sqlite-writer.ts has it.
      await transaction.query(
        `update flight set used_at = null
        where id > (select max(id) from flight) - ${guessedAmong} and app = $3 and source = 'proxy' and kind = 'prefetch'
          and told_at is null and used_at >= $1::bigint and path in (select path from flight where request_id = any($2::text[]))`,
        [Math.round(time - guessedWithinMs), used, told.app],
      );
    }
    const nobodys = "kind = 'prefetch', used_at = null, closed_at = $1::bigint";
    if (unused.length > 0) await set(nobodys, unused, `${mayBePrefetch} and ${isNotToldUsed}`);
    if (clicks.length > 0) await set("kind = 'navigation', used_at = null", clicks, isEither);
    if (vitals) {
      await transaction.query(
        `update flight set vitals_json = $1
        where request_id = $2 and kind = 'document' and app = $3`,
        [JSON.stringify(vitals.vitals), vitals.id, told.app],
      );
    }
    if (links.length === 0) continue;
    await transaction.query(
      `update flight set prefetch_trigger = told.trigger, link_text = told.text, link_place = told.place
      from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as told (id, trigger, text, place)
      where flight.request_id = told.id
        and ${mayBePrefetch} and flight.link_place is null and flight.source = 'proxy' and flight.app = $5`,
      [
        links.map(({ id }) => id),
        links.map(({ trigger }) => trigger),
        links.map(({ text }) => text),
        links.map(({ place }) => place),
        told.app,
      ],
    );
  }
}

async function addTries(transaction: Transaction, exchanges: readonly DescribedExchange[]): Promise<void> {
  for (const { tried } of exchanges) {
    if (!tried) continue;
    const [row] = await transaction.query<{ n: number }>('select count(*) as n from forged where app = $1', [
      tried.app,
    ]);
    const network = Number(row?.n ?? 0) < triesKept ? tried.network : otherNetworks;
    const places = tryColumns.map((_, index) => `$${index + 1}`).join(', ');
    await transaction.query(
      `insert into forged (${tryColumns.join(', ')}) values (${places}) ${countAgain}`,
      toTryValues({ ...tried, network }),
    );
  }
}

async function addCounted<Row extends { readonly app: string }>(
  transaction: Transaction,
  table: CountedTable<Row>,
  rows: readonly Row[] = [],
): Promise<void> {
  const { name, key, toValues, kept, withoutPlace } = table;
  const where = key.map((column, at) => `${column} = $${at + 1}`).join(' and ');
  for (const row of rows) {
    const [found] = await transaction.query<{ n: number; known: boolean }>(
      `select count(*) as n, coalesce(bool_or(${where}), false) as known from ${name} where app = $1`,
      toValues(row).slice(0, key.length),
    );
    const counted = found?.known === true || Number(found?.n ?? 0) < kept ? row : withoutPlace(row);
    await transaction.query(
      writeCountedInsert(table, (index) => `$${index + 1}`),
      toValues(counted),
    );
  }
}

async function readEnds(transaction: Transaction): Promise<Pick<WriterState, 'lastId' | 'oldestAt'>> {
  const [row] = await transaction.query<{ last: number | null; oldest: number | null }>(
    `select (select max(id) from flight) as last, (select started_at from flight order by id limit 1) as oldest`,
  );
  return { lastId: row?.last ?? 0, oldestAt: row?.oldest ?? undefined };
}

/** Keeps the recording within its size, and a part to write into. */
function createMeasure(connection: FlightsConnection, bytesLimit: number, onMeasured: () => void) {
  let measuredAt = Number.NEGATIVE_INFINITY;
  let since = 0;
  let bytes = 0;
  let isPartThere = false;

  async function measure(): Promise<void> {
    let parts = await ensurePart(connection, bytesLimit);
    isPartThere = true;
    // In the way of somebody who reads for long, a part stays until the next time.
    if (listBeyond(parts, bytesLimit).length > 0 && (await dropBeyond(connection, bytesLimit).catch(() => false))) {
      parts = await ensurePart(connection, bytesLimit);
    }
    bytes = sumBytes(parts);
    since = 0;
    onMeasured();
    measuredAt = performance.now();
  }

  return {
    bytes: () => bytes + since,
    ensure: () => (isPartThere ? undefined : measure()),
    loseParts: () => (isPartThere = false),
    measure,
    async wrote(more: number): Promise<void> {
      since += more;
      if (since > bytesLimit * measuredShare || performance.now() - measuredAt > measureEveryMs) await measure();
    },
  };
}

export function openPostgresWriter(options: PostgresWriterOptions): FlightWriter {
  const { bytesLimit, ageMs, knownSecrets } = options;
  const connection = openConnection(options);
  // Others write, too, and delete.
  const size = createMeasure(connection, bytesLimit, () => (ends = undefined));
  const used = new Map<string, number>();
  const guard = knownSecrets && createGuardCounts(knownSecrets);
  const reader = createEntryReader(used, guard);
  const written = createWritten(options.tell);
  let ends: Pick<WriterState, 'lastId' | 'oldestAt'> | undefined;

  /**
   * Whether the first of these flights is there under the id that it got: then all are. The id alone does not say it: a standby that was
   * promoted gives numbers again whose flights had not reached it.
   */
  async function wasCommitted(transaction: Transaction, { ids, fresh }: Given): Promise<boolean> {
    const known = [ids[0] ?? 0, fresh[0]?.head.requestId ?? ''];
    const rows = await transaction.query('select from flight where id = $1 and request_id = $2', known);
    return rows.length > 0;
  }

  async function tryToWrite(entries: ReadEntries, exchanges: readonly DescribedExchange[]): Promise<void> {
    let given: Given = { ids: [], fresh: [], added: [] };
    await size.ensure();
    const bytes = await connection.transact(
      adding,
      async (transaction) => {
        const result = await writeRows(transaction, entries, (known) => (given = known));
        await noteLearnt(transaction, exchanges);
        await addTries(transaction, exchanges);
        await addCounted(transaction, leakTable, entries.counted?.leaks);
        await addCounted(transaction, stormTable, entries.counted?.storms);
        return result;
      },
      async (transaction) => ((await wasCommitted(transaction, given)) ? 0 : undefined),
    );
    for (const { head } of given.fresh) written.note(head, 'row');
    for (const { head } of given.added) written.note(head, 'hits');
    written.commit();
    ends = { lastId: given.ids.at(-1) ?? ends?.lastId ?? 0, oldestAt: ends?.oldestAt };
    await size.wrote(bytes + given.ids.length * rowBytes).catch(() => undefined);
  }

  async function write(entries: ReadEntries, exchanges: readonly DescribedExchange[] = []): Promise<void> {
    try {
      await tryToWrite(entries, exchanges);
    } catch (error) {
      if (!(error instanceof NoPart) && !partGone.has(readPostgresCode(error) ?? '')) throw error;
      size.loseParts();
      await tryToWrite(entries, exchanges);
    }
  }

  return {
    prepare() {},
    write: (entries, measureHtml) => write(reader.read(entries, measureHtml)),
    writeExchanges: (exchanges) => write(reader.read(exchanges.flatMap(({ entries }) => entries)), exchanges),
    async note(notes) {
      if (notes.length === 0) return;
      const found = await connection.transact(`${adding}; ${writeLock('order')}`, async (transaction) => {
        const ids = await noteUsed(transaction, notes);
        await noteClosed(transaction, notes);
        await noteReported(transaction, notes);
        return ids;
      });
      for (const { time, used: ids } of notes) {
        for (const id of ids) if (!found.has(id)) rememberIn(used, id, time, usedAhead);
      }
    },
    addLosses: (losses) => connection.transact(unflushed, (transaction) => addLosses(transaction, losses)),
    keepRecord: (app, record) => connection.transact(unflushed, (transaction) => keepRecord(transaction, app, record)),
    keepInstalled: (app, packages) =>
      connection.transact(unflushed, (transaction) => keepInstalled(transaction, app, packages)),
    async keepModules(app, build, files) {
      guard?.know(app, build, files);
      await connection.transact(unflushed, (transaction) => keepModules(transaction, app, build, files));
    },
    keepSpans: (app, parts, now) =>
      connection.transact(unflushed, (transaction) => addSpans(transaction, app, parts, now)),
    async deleteTooOld(now) {
      await size.measure();
      await connection.transact(unflushed, (transaction) => deleteOldCounts(transaction, now - ageMs));
      return dropOlderThan(connection, now - ageMs);
    },
    async countTooOld(now) {
      return connection.transact('', async (transaction) => {
        const { parts } = await readParts(transaction);
        const old = listEndedBefore(parts, now - ageMs).map(({ part }) => part);
        const [row] = await transaction.query<{ n: number }>('select count(*) as n from flight where part = any($1)', [
          old,
        ]);
        return row?.n ?? 0;
      });
    },
    delete: (id) => deleteOne(connection, id),
    async deleteAll() {
      await dropAll(connection);
      reader.forget();
      used.clear();
      ends = undefined;
      await size.measure();
    },
    async deleteSlice(app, upTo) {
      await connection.transact(unflushed, (transaction) => deleteOfApp(transaction, app));
      await deleteSlice(connection, app, upTo);
    },
    /** The tables have no log of their own. */
    emptyLog() {},
    recover() {},
    /** What PostgreSQL finds damaged, its operator repairs. */
    replaceDamaged() {},
    async readState() {
      ends ??= await connection.transact('', readEnds);
      return { bytes: size.bytes(), ...ends };
    },
    takeWritten: written.take,
    close: connection.close,
    lossReason: 'database',
  };
}
