import type { Client } from 'pg';

import { writePart } from '#src/flights/writer/postgres/tables.ts';

/**
 * Fills the tables of a recorder with rows like those that it has stored itself: each is a copy of a stored one with ids, times,
 * fault and words of its own. It is done by SQL, without the triggers, because a million reports take hours; what the triggers
 * and the search would have written is written here: counters, `search_row`, `search_text`, facets and hours. Indexes that are no keys are
 * made again when the rows are there, which takes a third of the time.
 *
 * A fault keeps some 400 rows, however often it occurs (src/faults/kept/thin-fault.ts), so a million stored errors are 2,500 faults. Each
 * has occurred in each hour of two weeks.
 */
const rowsOfFault = 400;
const hours = 14 * 24;
const hourMs = 3_600_000;
const flightDays = 7;
/** Contents that a day's flights share. */
const bodiesOfDay = 2_000;

/** A word that is in one error: the one in the middle. */
export function rareWord(errors: number): string {
  return `order${Math.floor(errors / 2)}`;
}

async function readColumns(client: Client, table: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select column_name as name from information_schema.columns where table_name = $1 order by ordinal_position`,
    [table],
  );
  return rows.map(({ name }) => name);
}

/** `insert into … select`, with each column of the pattern as it is, but those that `changed` gives an expression. */
async function insertLike(
  client: Client,
  table: string,
  from: string,
  changed: Readonly<Record<string, string>>,
): Promise<void> {
  const columns = await readColumns(client, table);
  const values = columns.map((column) => changed[column] ?? `pattern.${column}`);
  await client.query(`insert into ${table} (${columns.join(', ')}) select ${values.join(', ')} from ${from}`);
}

async function fillErrors(client: Client, errors: number): Promise<void> {
  const faults = Math.ceil(errors / rowsOfFault);
  const now = Date.now();
  const stepMs = (hours * hourMs) / errors;
  await client.query(`
    create temp table pattern as select row_number() over (order by event.rowid) - 1 as number, event.*, search_text.words,
      fault_hash.rule, fault_hash.algorithm, fault_hash.parts_json, fault.culprit, fault.state, fault.state_json, fault.unseen
    from event join search_row on search_row.side = event.side and search_row.key = event.id
      join search_text on search_text.id = search_row.id
      join fault on fault.id = event.fault
      join fault_hash on fault_hash.app = event.app and fault_hash.hash = event.fingerprint
    where event.side = 'server';
    create temp table made as select number, substr(md5('fault' || number), 1, 8) as id, substr(md5('hash' || number), 1, 16) as hash,
      number % (select count(*) from pattern) as like_number from generate_series(0, ${faults - 1}) as number;
    analyze pattern, made;`);
  const of = 'made join pattern on pattern.number = made.like_number';
  const each = `generate_series(1, ${errors}) as g join ${of.replace('made join', `made on made.number = g % ${faults} join`)}`;
  const time = `${now} - (${errors} - g) * ${stepMs}::numeric`;
  const [first = 0] = (await client.query<{ next: number }>('select max(id)::int as next from search_row')).rows.map(
    ({ next }) => next,
  );
  await insertLike(client, 'fault', of, {
    id: 'made.id',
    app: 'pattern.app',
    side: "'server'",
    message: "pattern.message || ' ' || made.number",
    first_time: String(now - hours * hourMs),
    last_time: `(${now} - made.number * 1000)`,
    state_time: String(now - hours * hourMs),
    first_release: "'v1.0'",
    last_release: "'v1.4.2'",
    count: '48210',
    untrusted: '0',
    users: '0',
    merged_into: 'null',
    state: "case when made.number % 3 = 0 then 'resolved' else 'open' end",
    unseen: "case when made.number % 10 = 0 then 'new' end",
    rowid: 'made.number + 1000',
  });
  await insertLike(client, 'fault_hash', of, {
    hash: 'made.hash',
    fault: 'made.id',
    side: "'server'",
    first_time: String(now - hours * hourMs),
    last_time: `(${now} - made.number * 1000)`,
    first_release: "'v1.0'",
    last_release: "'v1.4.2'",
    split_by: 'null',
    split_of: 'null',
    moved: 'null',
    rowid: 'made.number + 1000',
  });
  await insertLike(client, 'fault_hour', `${of} cross join generate_series(0, ${hours - 1}) as hour_number`, {
    hash: 'made.hash',
    hour: `${Math.floor(now / hourMs) * hourMs} - hour_number * ${hourMs}::bigint`,
    count: '48210 / 336 + hour_number % 7',
    untrusted: '0',
    rowid: '1000 + made.number * 336 + hour_number',
  });
  await client.query(`
    insert into fault_facet (app, hash, name, value)
      select pattern.app, made.hash, 'release', 'v1.' || minor from ${of} cross join generate_series(made.number % 30, made.number % 30 + 9) as minor
      union all select pattern.app, made.hash, 'route', pattern.route || '/' || made.number from ${of}
      union all select pattern.app, made.hash, 'phase', pattern.phase from ${of}`);
  await insertLike(client, 'event', each, {
    id: "pattern.app || '.' || md5('error' || g)",
    digest: "'d' || lpad(g::text, 9, '0')",
    request_id: "md5('request' || g)",
    trace_id: "md5('trace' || g)",
    release: "'v1.' || g % 40",
    route: "pattern.route || '/' || made.number",
    message: "pattern.message || ' ' || made.number",
    path: "pattern.path || '/' || g",
    time: `(${time})::bigint`,
    received_at: `(${time})::bigint`,
    fingerprint: 'made.hash',
    fault: 'made.id',
    ordinal: `g / ${faults} + 1`,
    rowid: 'g + 1000',
  });
  await client.query(`
    insert into search_row (id, side, key, app, hash)
      select ${first} + g, 'server', pattern.app || '.' || md5('error' || g), pattern.app, made.hash from ${each};
    insert into search_text (id, words)
      select ${first} + g, pattern.words || ('''order' || g || ''':1 ''fault' || made.number || ''':2')::tsvector from ${each};
    insert into kept_fault (side, fault, of_app, rows) select 'server', fault, app, count(*) from event
      where fault in (select id from made) group by fault, app;
    update kept_app set rows = added.rows, bytes = added.bytes from (select app, count(*) as rows, sum(bytes) as bytes from event
      where side = 'server' group by app) as added where kept_app.side = 'event-server' and kept_app.of_app = added.app;
    update kept_app set rows = rows + ${faults} where side = 'fault-server' and of_app = 'shop';`);
}

async function fillFlights(client: Client, flights: number): Promise<void> {
  await client.query(
    'create temp table pattern_flight as select * from flight order by id; create temp table pattern_body as select * from body',
  );
  const { rows } = await client.query<{ count: string; part: number; last: string }>(
    `select count(*) as count, max(part) as part, max(id) as last from pattern_flight`,
  );
  const { count = '0', part: newest = 1, last = '0' } = rows[0] ?? {};
  if (count === '0') throw new Error('There is no flight to copy');
  const ofDay = Math.ceil(flights / flightDays);
  for (let day = 0; day < flightDays; day += 1) {
    const part = newest + 1 + day;
    const begins = Date.now() - (flightDays - day) * 24 * hourMs;
    await client.query(`insert into flight_part (part, begun_at) values (${part}, ${begins + 24 * hourMs - 1})`);
    await client.query(writePart(part));
    await insertLike(
      client,
      'body',
      `generate_series(1, ${bodiesOfDay}) as g join (select row_number() over (order by id) - 1 as number, * from pattern_body) as pattern
        on pattern.number = g % (select count(*) from pattern_body)`,
      { part: String(part), id: `1000000000 + ${part * bodiesOfDay} + g`, hash: `sha256(('${part}.' || g)::bytea)` },
    );
    await insertLike(
      client,
      'flight',
      `generate_series(1, ${ofDay}) as g join (select row_number() over (order by id) - 1 as number, * from pattern_flight) as pattern
        on pattern.number = g % ${count}`,
      {
        part: String(part),
        id: `${last} + ${day * ofDay} + g`,
        request_id: `md5('${part} request' || g)`,
        trace_id: `md5('${part} trace' || g / 3)`,
        visit: `md5('${part} visit' || g / 20)`,
        app: "case when g % 10 = 0 then pattern.app else 'shop' end",
        source: "case when g % 10 = 0 then pattern.source else 'received' end",
        route: "'/product/' || g % 200",
        path: "'/product/' || g % 200 || '/' || g",
        kind: "(array['document', 'navigation', 'prefetch', 'prefetch', 'action'])[g % 5 + 1]",
        status: 'case when g % 500 = 0 then 500 else 200 end',
        started_at: `${begins} + g * ${(24 * hourMs) / ofDay}::numeric`,
        duration_ms: 'g % 997',
        body_id: `1000000000 + ${part * bodiesOfDay} + g % ${bodiesOfDay - 1} + 1`,
        digests: "case when g % 500 = 0 then 'd' || lpad(g::text, 9, '0') else '' end",
      },
    );
    await client.query(`insert into flight_digest (part, digest, flight_id, app, started_at)
      select part, digests, id, app, started_at from flight where part = ${part} and digests <> ''`);
  }
  await client.query(
    `select setval('flight_number', ${Number(last) + ofDay * flightDays}), setval('body_number', 2000000000)`,
  );
}

/** Without the indexes of these tables that are no keys. They are made again, as they were. */
async function withoutIndexes(client: Client, tables: readonly string[], fill: () => Promise<void>): Promise<void> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
      where indrelid::regclass::text = any ($1) and not exists (select 1 from pg_constraint where conindid = indexrelid)`,
    [tables],
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  await fill();
  for (const { definition } of rows) await client.query(definition);
}

/** @param client of a user who may leave out triggers: PostgreSQL's own */
export async function fillPostgres(client: Client, errors: number, flights: number): Promise<void> {
  await client.query('set session_replication_role = replica');
  if (errors > 0) {
    await withoutIndexes(client, ['error', 'search_text', 'fault_hour'], () => fillErrors(client, errors));
  }
  if (flights > 0) await fillFlights(client, flights);
  await client.query('set session_replication_role = default');
  for (const sequence of ["pg_get_serial_sequence('event', 'rowid')", "'search_told'"]) {
    await client.query(`select setval(${sequence}, 2000000000)`);
  }
  await client.query('vacuum analyze');
}
