import type { Client } from 'pg';

import type { Load } from './load-database.ts';
import type { RunningServer } from './start-server.ts';

type Acknowledged = Pick<Load, 'digests' | 'appErrors' | 'reports'>;

async function list(database: Client, text: string): Promise<string[]> {
  return (await database.query<{ found: string }>(text)).rows.map(({ found }) => found);
}

/** What was acknowledged and is not in the database. */
export async function listMissing(database: Client, load: Acknowledged): Promise<string[]> {
  const errors = new Set(await list(database, "select digest as found from event where side = 'server'"));
  const reports = new Set(await list(database, "select id as found from event where side = 'browser'"));
  return [
    ...[...load.digests, ...load.appErrors].filter((digest) => !errors.has(digest)),
    ...load.reports.filter((id) => !reports.has(id)),
  ];
}

/** Errors that are there twice, and faults whose count is not that of their errors. None was thinned: there are too few. */
export async function listDoubleCounts(database: Client): Promise<string[]> {
  return list(
    database,
    `select 'error ' || digest as found from event where side = 'server' group by app, digest having count(*) > 1
     union all
     select 'fault ' || fault.message || ': ' || fault.count || ' errors of ' || errors.n || ', ' || fault.untrusted || ' reports of ' || reports.n
     from fault,
       lateral (select count(*) as n from event where event.fault = fault.id and side = 'server') as errors,
       lateral (select count(*) as n from event where event.fault = fault.id and side = 'browser') as reports
     where fault.count <> errors.n or fault.untrusted <> reports.n`,
  );
}

async function isKnown(server: RunningServer, target: string): Promise<boolean> {
  const response = await fetch(`${server.origin}${target}`, { redirect: 'manual' });
  await response.body?.cancel();
  return response.status === 200 || response.status === 307;
}

/** Digests that the server does not find. */
export async function listUnfound(server: RunningServer, load: Pick<Load, 'digests' | 'appErrors'>): Promise<string[]> {
  const targets = [
    ...load.digests.map((digest) => `/digest/${digest}`),
    ...load.appErrors.map((digest) => `/digest/${digest}?app=shop`),
  ];
  // A page that finds everything would prove nothing.
  if (await isKnown(server, '/digest/0000000000')) return ['a digest that nobody has seen is found'];
  const missing: string[] = [];
  for (const target of targets) if (!(await isKnown(server, target))) missing.push(target);
  return missing;
}
