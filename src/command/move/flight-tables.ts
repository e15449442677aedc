import { type QueryExecutorProvider, sql } from 'kysely';

import { flightColumns } from '#src/flights/flight/flight-columns.ts';
import { leakTable, stormTable } from '#src/flights/writer/counted-table.ts';
import { spanColumns, spanKey } from '#src/flights/writer/insert-spans.ts';
import { tryColumns, tryKey } from '#src/flights/writer/insert-try.ts';
import { writePart } from '#src/flights/writer/postgres/tables.ts';
import type { Engine } from '#src/store/dialect.ts';

import type { Row, Value } from './canonical-row.ts';
import type { MovedTable } from './moved-table.ts';

/**
 * Flights, with their bodies. A body is kept once in SQLite's file, and once in each of PostgreSQL's parts, and its number means
 * nothing outside. So a flight is moved together with its body, and compared by what that holds. In PostgreSQL the flights of a day
 * get a part of their own, as if they had been recorded there: what is old is then dropped by the day, too.
 */
const dayMs = 24 * 60 * 60 * 1_000;

const bodyColumns = ['hash', 'bytes', 'encoding', 'data'] as const;
const ofBody = bodyColumns.map((column) => `body_${column}`);

/** Without the body's number. */
const ownColumns: readonly string[] = flightColumns
  .map(({ column }) => column)
  .filter((column) => column !== 'body_id');

const wholeColumns: ReadonlySet<string> = new Set(
  flightColumns.filter(({ type }) => type.startsWith('integer')).map(({ column }) => column),
);

/** SQLite keeps a fraction also where the column is for whole numbers, and PostgreSQL does not. */
function selectColumn(engine: Engine, column: string) {
  const found = sql.ref(`flight.${column}`);
  if (engine === 'postgres' || !wholeColumns.has(column)) return found;
  return sql`cast(round(${found}) as integer) as ${sql.ref(column)}`;
}

function selectFlights(engine: Engine) {
  const own = sql.join(ownColumns.map((column) => selectColumn(engine, column)));
  const body = sql.join(bodyColumns.map((column) => sql`${sql.ref(`body.${column}`)} as ${sql.ref(`body_${column}`)}`));
  const samePart = engine === 'postgres' ? sql`and body.part = flight.part` : sql``;
  return sql`select ${own}, ${body} from flight left join body on body.id = flight.body_id ${samePart}`;
}

function asNumber(value: Value | undefined): number {
  if (typeof value !== 'number') throw new TypeError('A flight has no number where one must be');
  return value;
}

/** The part of the day on which it was recorded; a flight that is out of order goes into the newest. */
async function findPart(trx: QueryExecutorProvider, time: number): Promise<number> {
  const { rows } = await sql<{ part: number; begun_at: number }>`
    select part, begun_at from flight_part order by part desc limit 1`.execute(trx);
  const [newest] = rows;
  const day = Math.floor(time / dayMs) * dayMs;
  if (newest && newest.begun_at >= day) return newest.part;
  const part = (newest?.part ?? 0) + 1;
  await sql`insert into flight_part (part, begun_at) values (${part}::int, ${day}::bigint)`.execute(trx);
  await sql.raw(writePart(part)).execute(trx);
  return part;
}

function listValues(values: readonly Value[]) {
  return sql.join(values.map((value) => sql`${value}`));
}

function listNames(names: readonly string[]) {
  return sql.join(names.map((name) => sql.ref(name)));
}

async function keepBody(trx: QueryExecutorProvider, row: Row, part: number | undefined): Promise<number | null> {
  const hash = row['body_hash'] ?? null;
  if (hash === null) return null;
  const values = ofBody.map((column) => row[column] ?? null);
  if (part === undefined) {
    await sql`insert into body (${listNames(bodyColumns)}) values (${listValues(values)}) on conflict (hash) do nothing`.execute(
      trx,
    );
  } else {
    await sql`insert into body (part, id, ${listNames(bodyColumns)})
      values (${part}::int, nextval('body_number'), ${listValues(values)}) on conflict (part, hash) do nothing`.execute(
      trx,
    );
  }
  const ofPart = part === undefined ? sql`` : sql`and part = ${part}`;
  const { rows } = await sql<{ id: number }>`select id from body where hash = ${hash} ${ofPart}`.execute(trx);
  return rows[0]?.id ?? null;
}

async function writeFlights(trx: QueryExecutorProvider, engine: Engine, rows: readonly Row[]): Promise<void> {
  for (const row of rows) {
    const part = engine === 'postgres' ? await findPart(trx, asNumber(row['started_at'])) : undefined;
    const body = await keepBody(trx, row, part);
    const values = { ...(part === undefined ? {} : { part }), ...pick(row, ownColumns), body_id: body };
    await insertOne(trx, 'flight', values);
  }
}

function pick(row: Row, columns: readonly string[]): Row {
  return Object.fromEntries(columns.map((column) => [column, row[column] ?? null]));
}

async function insertOne(trx: QueryExecutorProvider, name: string, row: Row): Promise<void> {
  await sql`insert into ${sql.table(name)} (${listNames(Object.keys(row))}) values (${listValues(Object.values(row))})`.execute(
    trx,
  );
}

/** What hangs on a flight is in its part. */
function withFlight(name: string, columns: readonly string[], key: readonly string[]): MovedTable {
  return {
    name,
    key,
    columns,
    of: 'flights',
    hasRowid: false,
    select: () => sql`select ${listNames(columns)} from ${sql.table(name)}`,
    async write(trx, engine, rows) {
      for (const row of rows) {
        if (engine === 'sqlite') {
          await insertOne(trx, name, row);
          continue;
        }
        await sql`insert into ${sql.table(name)} (part, ${listNames(columns)})
          select flight.part, ${sql.join(columns.map((column) => sql`cast(${row[column] ?? null} as ${sql.raw(castOf(row[column]))})`))}
          from flight where flight.id = ${asNumber(row['flight_id'])}`.execute(trx);
      }
    },
  };
}

/** A parameter of a `select` has no type of its own. */
function castOf(value: Value | undefined): string {
  if (value instanceof Uint8Array) return 'bytea';
  return typeof value === 'number' ? 'bigint' : 'text';
}

export const flightTables: readonly MovedTable[] = [
  {
    name: 'flight',
    key: ['id'],
    of: 'flights',
    hasRowid: false,
    columns: [...ownColumns, ...ofBody],
    select: selectFlights,
    write: writeFlights,
  },
  withFlight(
    'attachment',
    ['flight_id', 'role', 'type', 'bytes', 'kept_bytes', 'encoding', 'data'],
    ['flight_id', 'role'],
  ),
  withFlight('flight_digest', ['digest', 'flight_id', 'app', 'started_at'], ['digest', 'flight_id']),
  { name: 'kept', key: ['app'], columns: ['app', 'record', 'told_at'], of: 'flights', hasRowid: false },
  {
    name: 'forged',
    key: tryKey,
    columns: tryColumns,
    of: 'flights',
    hasRowid: false,
  },
  {
    name: 'installed',
    key: ['app', 'name', 'inside'],
    columns: ['app', 'name', 'inside', 'version', 'seen_at'],
    of: 'flights',
    hasRowid: false,
  },
  {
    name: 'build_modules',
    key: ['app', 'build'],
    columns: ['app', 'build', 'files_json', 'seen_at'],
    of: 'flights',
    hasRowid: false,
  },
  ...[leakTable, stormTable].map(({ name, key, columns }) => ({
    name,
    key,
    columns,
    of: 'flights' as const,
    hasRowid: false,
  })),
  {
    name: 'loss',
    key: ['app', 'reason'],
    columns: ['app', 'reason', 'count', 'last_time'],
    of: 'flights',
    hasRowid: false,
  },
  {
    name: 'span',
    key: spanKey,
    columns: spanColumns,
    of: 'flights',
    hasRowid: false,
  },
];
