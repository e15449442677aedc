import 'server-only';

import type { Kysely } from 'kysely';

import { readApps } from '#src/apps/apps.ts';
import { requireReader } from '#src/operator/require-reader.ts';
import { openStore } from '#src/store/open-store.ts';
import { ownApp } from '#src/store/own-app.ts';
import type { Tables } from '#src/store/schema.ts';

import { toRowKey } from '../row-key.ts';

/** What an id leads to: a fault, or one of its occurrences. An occurrence whose stack is not understood yet has no fault. */
export type FoundById =
  | { readonly type: 'fault'; readonly fault: string }
  | { readonly type: 'error'; readonly fault: string | null; readonly key: string }
  | { readonly type: 'report'; readonly fault: string | null; readonly key: string; readonly digest: string | null }
  /** A trace in which several faults occurred: a list shows them. */
  | { readonly type: 'trace'; readonly trace: string };

/** Of events and traces, with or without the hyphens of a UUID, also among other words. */
const hexId = /(?<![\da-f])[\da-f]{8}-?[\da-f]{4}-?[\da-f]{4}-?[\da-f]{4}-?[\da-f]{12}(?![\da-f])/gi;
/** Each costs a look into four indexes. */
const idsRead = 4;
/** As note-occurrence.ts makes them: alone, or in an address. */
const faultId = /^(?:\S*\/faults\/)?([\da-hjkmnp-tv-z]{8})(?:\?\S*)?$/;

/** Empty when there is none in `typed`. */
export function readHexIds(typed: string): string[] {
  const ids = Array.from(typed.matchAll(hexId), ([id]) => id.replaceAll('-', '').toLowerCase());
  return [...new Set(ids)].slice(0, idsRead);
}

async function findEvent(db: Kysely<Tables>, id: string): Promise<FoundById | undefined> {
  const apps = [ownApp, ...(await readApps()).map((app) => app.id)];
  const keys = apps.map((app) => toRowKey(app, id));
  const error = await db.selectFrom('error').select(['id', 'fault']).where('id', 'in', keys).executeTakeFirst();
  if (error) return { type: 'error', fault: error.fault, key: error.id };
  const report = await db
    .selectFrom('report')
    .select(['event_id', 'fault', 'digest'])
    .where('event_id', 'in', keys)
    .executeTakeFirst();
  return report && { type: 'report', fault: report.fault, key: report.event_id, digest: report.digest };
}

/** A trace is a document with all that followed. Somebody may post thousands of reports with the same one. */
const traceRowsRead = 500;

/** The faults that occurred in this trace, each with the key of its latest occurrence: a server's where there is one. */
export async function readTraceFaults(db: Kysely<Tables>, id: string): Promise<ReadonlyMap<string, string>> {
  const errors = await db
    .selectFrom('error')
    .innerJoin('fault', 'fault.id', 'error.fault')
    .select(({ fn }) => ['error.id as key', fn.coalesce('fault.merged_into', 'fault.id').as('fault')])
    .where('error.trace_id', '=', id)
    .orderBy('error.time', 'desc')
    .limit(traceRowsRead)
    .execute();
  const reports = await db
    .selectFrom('report')
    .innerJoin('fault', 'fault.id', 'report.fault')
    .select(({ fn }) => ['report.event_id as key', fn.coalesce('fault.merged_into', 'fault.id').as('fault')])
    .where('report.trace_id', '=', id)
    .orderBy('report.received_at', 'desc')
    .limit(traceRowsRead)
    .execute();
  const keys = new Map<string, string>();
  for (const { fault, key } of [...errors, ...reports]) if (!keys.has(fault)) keys.set(fault, key);
  return keys;
}

/** The latest error of the servers, else the latest that a browser reported; a list where they are of several faults. */
async function findTrace(db: Kysely<Tables>, id: string): Promise<FoundById | undefined> {
  if ((await readTraceFaults(db, id)).size > 1) return { type: 'trace', trace: id };
  const error = await db
    .selectFrom('error')
    .select(['id', 'fault'])
    .where('trace_id', '=', id)
    .orderBy('time', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (error) return { type: 'error', fault: error.fault, key: error.id };
  const report = await db
    .selectFrom('report')
    .select(['event_id', 'fault', 'digest'])
    .where('trace_id', '=', id)
    .orderBy('received_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return report && { type: 'report', fault: report.fault, key: report.event_id, digest: report.digest };
}

/** What an event's id, a trace's id or a fault's id in `typed` names. */
export async function findById(typed: string): Promise<FoundById | undefined> {
  requireReader();
  const { db } = await openStore();
  for (const id of readHexIds(typed)) {
    const found = (await findEvent(db, id)) ?? (await findTrace(db, id));
    if (found) return found;
  }
  const [, fault] = faultId.exec(typed.trim()) ?? [];
  if (fault === undefined) return undefined;
  const row = await db.selectFrom('fault').select('id').where('id', '=', fault).executeTakeFirst();
  return row && { type: 'fault', fault: row.id };
}
