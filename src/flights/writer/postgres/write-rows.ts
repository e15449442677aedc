import type { DescribedExchange } from '../exchange/describe-exchange.ts';
import { encode } from '../encode-bytes.ts';
import { insertedColumns, type Attached } from '../flight-values.ts';
import { nameTrace } from '../prepare.ts';
import { writeLock, type Transaction } from './connection.ts';
import { listRow, packBody, type NamedVisit, type ReadEntries, type ReadFlight } from './read-entries.ts';
import { toPostgresType } from './tables.ts';

/**
 * Writes a batch: a few statements for all of its flights, never one for each. In this order: bodies that the newest part has not got;
 * then, with ids given in their order, what changes rows that are there, and the rows themselves. connection.ts says which
 * locks make what was read stay true.
 */

/** There is none at the first start, and for a moment after everything was deleted. */
export class NoPart extends Error {}

type Row = { readonly id: number; readonly flight: ReadFlight };
/** What a batch becomes, known before its rows are inserted. */
export type Given = {
  readonly ids: readonly number[];
  /** Get a row each. */
  readonly fresh: readonly ReadFlight[];
  /** Hits of rows that are there. */
  readonly added: readonly ReadFlight[];
};

/** A document may be streamed while its scripts already ask for more, and name its tab. */
const slowDocumentMs = 200;

/** PostgreSQL's texts cannot hold NUL, and its whole numbers no fraction. */
function toElement(value: string | number | null, type: string): string | number | null {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
  return typeof value === 'number' && type === 'bigint' ? Math.round(value) : value;
}

const arrayTypes = insertedColumns.map(
  ({ type }) => /^(?:text|bigint|double precision)/.exec(toPostgresType(type))?.[0] ?? '',
);
const insertFlights = `insert into flight (part, id, ${insertedColumns.map(({ column }) => column).join(', ')})
  select $1, * from unnest($2::bigint[], ${arrayTypes.map((type, at) => `$${at + 3}::${type}[]`).join(', ')})`;

/** One buffer for many values, and where each begins: an array of them would travel as text, of twice their size. */
function joinBytes(all: readonly Uint8Array[]) {
  const starts: number[] = [];
  let length = 0;
  for (const bytes of all) {
    starts.push(length);
    length += bytes.length;
  }
  return { joined: Buffer.concat(all), starts, lengths: all.map((bytes) => bytes.length) };
}

const findBodies = `
  select newest.part, wanted.key, body.id
  from (select max(part) as part from flight_part where to_regclass('flight_' || part) is not null) as newest
  left join unnest($1::text[]) as wanted (key) on true
  left join body on body.part = newest.part and body.hash = decode(wanted.key, 'hex')`;

/** In the order of their names: two that insert the same ones wait for each other in no circle. */
const insertBodies = `
  insert into body (part, id, hash, bytes, encoding, data)
  select $1, nextval('body_number'), decode(new.key, 'hex'), new.bytes, new.encoding, substring($2::bytea from new.start + 1 for new.length)
  from unnest($3::text[], $4::bigint[], $5::text[], $6::int[], $7::int[]) with ordinality
    as new (key, bytes, encoding, start, length, place)
  order by new.place
  on conflict (part, hash) do nothing`;

type FoundBody = { readonly part: number | null; readonly key: string | null; readonly id: number | null };

/** @returns the newest part, and the ids of its bodies by their names */
async function keepBodies(transaction: Transaction, bodies: ReadEntries['bodies']) {
  const ids = new Map<string, number>();
  let part: number | null | undefined;
  let written = 0;

  async function find(keys: readonly string[]): Promise<string[]> {
    const rows = await transaction.query<FoundBody>(findBodies, [keys]);
    part ??= rows[0]?.part;
    for (const { key, id } of rows) if (key !== null && id !== null) ids.set(key, id);
    return keys.filter((key) => !ids.has(key) && (bodies.get(key)?.length ?? 0) > 0);
  }

  const missing = await find([...bodies.keys()]);
  if (typeof part !== 'number') throw new NoPart('the recording has no part');
  if (missing.length > 0) {
    const keys = missing.toSorted();
    const packed = keys.map((key) => packBody(bodies.get(key) ?? new Uint8Array()));
    const { joined, starts, lengths } = joinBytes(packed.map(({ data }) => data));
    const sizes = packed.map(({ bytes }) => bytes);
    const encodings = packed.map(({ encoding }) => encoding);
    await transaction.query(insertBodies, [part, joined, keys, sizes, encodings, starts, lengths]);
    written = joined.length;
    // Its own statement, which sees what another instance has committed meanwhile.
    await find(keys);
  }
  return { part, ids, written };
}

/** A sender that got no answer sends its batch again. @returns request ids with their apps, which are there */
async function findReceived(transaction: Transaction, flights: readonly ReadFlight[]): Promise<ReadonlySet<string>> {
  const received = flights.filter(({ head }) => head.source === 'received');
  if (received.length === 0) return new Set();
  const rows = await transaction.query<{ app: string; id: string }>(
    `select sent.app, sent.id from unnest($1::text[], $2::text[]) as sent (app, id)
    where exists (select from flight where flight.request_id = sent.id and flight.app = sent.app)`,
    [received.map(({ head }) => head.app), received.map(({ head }) => head.requestId)],
  );
  return new Set(rows.map(({ app, id }) => `${app} ${id}`));
}

/** Keeps the flights that are not there yet, each once. */
async function withoutReceived(transaction: Transaction, flights: readonly ReadFlight[]): Promise<ReadFlight[]> {
  const known = new Set(await findReceived(transaction, flights));
  return flights.filter(({ head }) => {
    if (head.source !== 'received') return true;
    const key = `${head.app} ${head.requestId}`;
    const isNew = !known.has(key);
    known.add(key);
    return isNew;
  });
}

/** Adds hits to the rows that have the others of their second. @returns flights without those that were added */
async function addHits(transaction: Transaction, flights: readonly ReadFlight[]): Promise<readonly ReadFlight[]> {
  const counted = flights.filter(({ head }) => head.hitsBefore > 0);
  if (counted.length === 0) return flights;
  const rows = await transaction.query<{ id: string }>(
    `update flight set hits = flight.hits + more.hits, last_at = greatest(flight.last_at, more.last_at)
    from unnest($1::text[], $2::bigint[], $3::bigint[]) as more (id, hits, last_at)
    where flight.request_id = more.id and flight.last_at is not null returning more.id as id`,
    [
      counted.map(({ head }) => head.requestId),
      counted.map(({ head }) => head.hits),
      counted.map(({ head }) => head.lastAt),
    ],
  );
  const added = new Set(rows.map(({ id }) => id));
  return flights.filter(({ head }) => head.hitsBefore === 0 || !added.has(head.requestId));
}

/** Another instance may have written the requests that name the tab of a document which took long. */
async function findVisits(
  transaction: Transaction,
  flights: readonly ReadFlight[],
): Promise<ReadonlyMap<string, string>> {
  const slow = flights.flatMap(({ head, visit }) =>
    visit === null && head.kind === 'document' && head.durationMs > slowDocumentMs && head.traceId !== '' ? [head] : [],
  );
  if (slow.length === 0) return new Map();
  // Each trace once: its sender may give one to all that he asks for.
  const traces = [...new Map(slow.map((head) => [nameTrace(head.app, head.traceId), head])).values()];
  const rows = await transaction.query<{ app: string; trace: string; visit: string }>(
    `select distinct on (flight.app, flight.trace_id) flight.app, flight.trace_id as trace, flight.visit
    from unnest($1::text[], $2::text[]) as slow (app, trace) join flight on flight.trace_id = slow.trace
    where flight.visit is not null and flight.app = slow.app`,
    [traces.map(({ app }) => app), traces.map(({ traceId }) => traceId)],
  );
  return new Map(rows.map(({ app, trace, visit }) => [nameTrace(app, trace), visit]));
}

/** Documents that were written before their tab was known. */
async function nameVisits(transaction: Transaction, visits: readonly NamedVisit[]): Promise<void> {
  if (visits.length === 0) return;
  await transaction.query(
    `update flight set visit = named.visit from unnest($1::text[], $2::text[], $3::text[]) as named (app, trace, visit)
    where flight.trace_id = named.trace and flight.visit is null and flight.app = named.app`,
    [visits.map(({ app }) => app), visits.map(({ traceId }) => traceId), visits.map(({ visit }) => visit)],
  );
}

async function giveIds(transaction: Transaction, count: number): Promise<number[]> {
  const rows = await transaction.query<{ id: number }>(
    `select nextval('flight_number') as id from generate_series(1, $1)`,
    [count],
  );
  return rows.map(({ id }) => id);
}

async function insertRows(
  transaction: Transaction,
  part: number,
  inserted: readonly Row[],
  bodies: ReadonlyMap<string, number>,
): Promise<void> {
  const rows = inserted.map(({ flight }) =>
    listRow(flight, flight.body === undefined ? null : (bodies.get(flight.body) ?? null)),
  );
  const columns = arrayTypes.map((type, at) => rows.map((row) => toElement(row[at] ?? null, type)));
  await transaction.query(insertFlights, [part, inserted.map(({ id }) => id), ...columns]);
}

async function insertDigests(transaction: Transaction, part: number, inserted: readonly Row[]): Promise<void> {
  const pairs = inserted.flatMap(({ id, flight: { head } }) =>
    head.digests.flatMap((digest) =>
      digest === '' ? [] : { id, digest, app: head.app, startedAt: Math.round(head.startedAt) },
    ),
  );
  if (pairs.length === 0) return;
  await transaction.query(
    `insert into flight_digest (part, digest, flight_id, app, started_at)
    select $1, * from unnest($2::text[], $3::bigint[], $4::text[], $5::bigint[]) on conflict do nothing`,
    [
      part,
      pairs.map(({ digest }) => digest),
      pairs.map(({ id }) => id),
      pairs.map(({ app }) => app),
      pairs.map(({ startedAt }) => startedAt),
    ],
  );
}

async function insertAttached(transaction: Transaction, part: number, inserted: readonly Row[]): Promise<number> {
  const all = inserted.flatMap(({ id, flight }) =>
    flight.attached.map((one): Attached & { id: number } => ({ ...one, id })),
  );
  if (all.length === 0) return 0;
  const packed = all.map(({ kept }) => encode(kept));
  const { joined, starts, lengths } = joinBytes(packed.map(({ data }) => data));
  await transaction.query(
    `insert into attachment (part, flight_id, role, type, bytes, kept_bytes, encoding, data)
    select $1, new.flight_id, new.role, new.type, new.bytes, new.kept, new.encoding, substring($2::bytea from new.start + 1 for new.length)
    from unnest($3::bigint[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::text[], $9::int[], $10::int[])
      as new (flight_id, role, type, bytes, kept, encoding, start, length)`,
    [
      part,
      joined,
      all.map(({ id }) => id),
      all.map(({ role }) => role),
      all.map(({ type }) => toElement(type, 'text')),
      all.map(({ bytes }) => bytes),
      all.map(({ kept }) => kept.length),
      packed.map(({ encoding }) => encoding),
      starts,
      lengths,
    ],
  );
  return joined.length;
}

/**
 * `flights` in a transaction that has the lock `content`, shared.
 * @param giving called before anything is inserted: if nobody knows whether the commit came through, the ids say it
 * @returns how many bytes were written, without the rows themselves
 */
export async function writeRows(
  transaction: Transaction,
  { flights, bodies, visits }: ReadEntries,
  giving: (given: Given) => void = () => undefined,
): Promise<number> {
  const kept = await keepBodies(transaction, bodies);
  await transaction.query(writeLock('order'));
  const all = await withoutReceived(transaction, flights);
  const fresh = await addHits(transaction, all);
  const found = await findVisits(transaction, fresh);
  const ids = await giveIds(transaction, fresh.length);
  const isFresh = new Set(fresh);
  giving({ ids, fresh, added: all.filter((flight) => !isFresh.has(flight)) });
  const inserted = fresh.map((flight, at): Row => {
    return {
      id: ids[at] ?? 0,
      flight: { ...flight, visit: flight.visit ?? found.get(nameTrace(flight.head.app, flight.head.traceId)) ?? null },
    };
  });
  if (inserted.length > 0) await insertRows(transaction, kept.part, inserted, kept.ids);
  await insertDigests(transaction, kept.part, inserted);
  const attached = await insertAttached(transaction, kept.part, inserted);
  await nameVisits(transaction, visits);
  return kept.written + attached;
}

/** Notes what later requests of another app say of prefetches. */
export async function noteLearnt(transaction: Transaction, exchanges: readonly DescribedExchange[]): Promise<void> {
  const all = exchanges.flatMap(({ learnt }) => learnt ?? []);
  async function set(column: 'used_at' | 'closed_at', which: 'used' | 'doubtful' | 'unused'): Promise<void> {
    const ids = all.flatMap((learnt) => learnt[which].map((id) => ({ id, at: Math.round(learnt.at) })));
    if (ids.length === 0) return;
    const isTakenBack = which === 'doubtful';
    await transaction.query(
      `update flight set ${column} = ${isTakenBack ? 'null' : 'learnt.at'}
      from unnest($1::text[], $2::bigint[]) as learnt (id, at)
      where flight.request_id = learnt.id and flight.source = 'proxy' and flight.told_at is null
        and flight.${column} is ${isTakenBack ? 'not null' : 'null'}`,
      [ids.map(({ id }) => id), ids.map(({ at }) => at)],
    );
  }
  await set('used_at', 'used');
  await set('used_at', 'doubtful');
  await set('closed_at', 'unused');
}
