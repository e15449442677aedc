import { countPastBytes, findOrigin, newOriginBytes, writePast } from '../past-digests.ts';

/** What fills the tables of ../past-digests.ts, in PostgreSQL's words. Rows are deleted a hundred at once: so once for a statement. */
const removed = writePast('removed');
const lost = `(select removed.app, ${removed.hash} as hash, ${removed.route} as route, ${removed.release} as release,
    removed.digest, ${removed.seconds} as seconds
  from removed where ${removed.isKept}) as lost`;

const keepPast = `create function event_past() returns trigger language plpgsql as $$ begin
  insert into past_origin (app, hash, route, release, bytes, time, gone)
    select app, hash, route, release, ${newOriginBytes}, 0, 0 from ${lost}
    where hash is not null and (${findOrigin('lost')}) is null group by app, hash, route, release;
  insert into past_digest (digest, origin, time, span, count)
    select digest, origin, max(seconds), max(seconds) - min(seconds), count(*)
    from (select lost.*, (${findOrigin('lost')}) as origin from ${lost} where hash is not null) as found
    group by digest, origin
    on conflict (digest, origin) do update set
      span = greatest(past_digest.time, excluded.time) - least(past_digest.time - past_digest.span, excluded.time - excluded.span),
      time = greatest(past_digest.time, excluded.time), count = past_digest.count + excluded.count;
  return null;
end $$`;

/** Of all rows of a statement at once, in the order of the apps' ids. */
function addBytes(bytes: string, from: string): string {
  return `insert into kept_app (side, of_app, rows, bytes)
    select 'past-digest', app, 0, sum(${bytes}) from ${from} group by app order by app
    on conflict (side, of_app) do update set bytes = kept_app.bytes + excluded.bytes;`;
}

const changed = `(select added.app, case when added.gone = 1 and removed.gone = 0 then -removed.bytes
    when added.gone = 0 then added.bytes - removed.bytes else 0 end as bytes
  from added join removed on removed.id = added.id) as changed`;

function count(table: string, name: string, on: string, body: string): string[] {
  return [
    `create function ${table}_${name}() returns trigger language plpgsql as $$ begin ${body} return null; end $$`,
    `create trigger ${table}_${name} after ${on} for each statement execute function ${table}_${name}()`,
  ];
}

/** As all tables whose rows are counted in others: src/store/postgres/create-triggers.ts. */
function takeTurn(table: string): string {
  return `create trigger ${table}_turn before insert or update or delete on ${table} for each statement execute function take_turn()`;
}

export const pastTriggers: readonly string[] = [
  keepPast,
  `create trigger event_past after delete on event referencing old table as removed for each statement
    execute function event_past()`,
  // Its rows are written again and again: with room in each page, in their place.
  'alter table past_origin set (fillfactor = 50)',
  takeTurn('past_origin'),
  takeTurn('past_digest'),
  ...count(
    'past_digest',
    'added',
    'insert on past_digest referencing new table as added',
    `update past_origin set bytes = past_origin.bytes + more.bytes, time = greatest(past_origin.time, more.time)
      from (select origin, sum(${countPastBytes('added', 'postgres')}) as bytes, max(time) as time from added group by origin) as more
      where past_origin.id = more.origin;`,
  ),
  ...count(
    'past_origin',
    'added',
    'insert on past_origin referencing new table as added',
    addBytes('bytes', 'added where gone = 0'),
  ),
  ...count(
    'past_origin',
    'changed',
    'update on past_origin referencing old table as removed new table as added',
    addBytes('bytes', changed),
  ),
];
