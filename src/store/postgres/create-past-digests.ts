import { countPastBytes, longestRoute } from '../past-digests.ts';

/** What fills the table of ../past-digests.ts, in PostgreSQL's words. Rows are deleted a hundred at once: so once for a statement. */
const keepPast = `create function event_past() returns trigger language plpgsql as $$ begin
  insert into past_digest (digest, app, hash, first_time, last_time, count, route)
  select digest, app, hash, min(time), max(time), count(*), (array_agg(route order by time desc))[1] from (
    select removed.digest, removed.app, removed.time,
      left(case when removed.route = '' then removed.path else removed.route end, ${longestRoute}) as route,
      coalesce(
        (select hash from fault_hash where app = removed.app and hash = removed.fingerprint),
        (select hash from fault_hash where fault = removed.fault limit 1)) as hash
    from removed where removed.side = 'server' and removed.digest is not null and removed.fault is not null) as gone
  where hash is not null
  group by digest, app, hash
  on conflict (digest, app, hash) do update set
    route = case when excluded.last_time >= past_digest.last_time then excluded.route else past_digest.route end,
    first_time = least(past_digest.first_time, excluded.first_time),
    last_time = greatest(past_digest.last_time, excluded.last_time), count = past_digest.count + excluded.count;
  return null;
end $$`;

/** Of all rows of a statement at once, in the order of the apps' ids. */
const addBytes = `insert into kept_app (side, of_app, rows, bytes)
  select 'past-digest', app, 0, sum(${countPastBytes('added')}) from added group by app order by app
  on conflict (side, of_app) do update set bytes = kept_app.bytes + excluded.bytes;`;
const removeBytes = `update kept_app set bytes = kept_app.bytes - gone.bytes
  from (select app, sum(${countPastBytes('removed')}) as bytes from removed group by app) as gone
  where kept_app.side = 'past-digest' and kept_app.of_app = gone.app;`;
const changeBytes = `update kept_app set bytes = bytes + octet_length(new.route) - octet_length(old.route)
  where side = 'past-digest' and of_app = new.app;`;

function count(name: string, on: string, body: string): string[] {
  return [
    `create function past_digest_${name}() returns trigger language plpgsql as $$ begin ${body} return null; end $$`,
    `create trigger past_digest_${name} after ${on} execute function past_digest_${name}()`,
  ];
}

export const pastTriggers: readonly string[] = [
  keepPast,
  `create trigger event_past after delete on event referencing old table as removed for each statement
    execute function event_past()`,
  // As all tables whose rows are counted in others: src/store/postgres/create-triggers.ts.
  `create trigger past_digest_turn before insert or update or delete on past_digest for each statement execute function take_turn()`,
  ...count('added', 'insert on past_digest referencing new table as added for each statement', addBytes),
  ...count('removed', 'delete on past_digest referencing old table as removed for each statement', removeBytes),
  ...count('changed', 'update of route on past_digest for each row when (old.route <> new.route)', changeBytes),
];
