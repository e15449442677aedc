import 'server-only';

import type { Insertable, Transaction } from 'kysely';

import type { Grouping } from '#src/runtime/errors/fingerprint.ts';
import type { SourceFrame } from '#src/runtime/errors/source-maps.ts';
import { ownApp } from '#src/store/own-app.ts';
import type { ErrorTable, ReportTable, Tables } from '#src/store/schema.ts';

import { noteOccurrence, type Noted } from './note-occurrence.ts';
import { readCulprit } from './read-culprit.ts';

/** What a stack was found to say. */
type Understood = { readonly grouping: Grouping; readonly frames: readonly SourceFrame[] };

type ErrorRow = Pick<
  Insertable<ErrorTable>,
  'id' | 'app' | 'name' | 'message' | 'route' | 'path' | 'level' | 'release' | 'user_key' | 'time' | 'received_at'
>;
type ReportRow = Pick<
  Insertable<ReportTable>,
  'event_id' | 'app' | 'name' | 'message' | 'path' | 'level' | 'release' | 'user_key' | 'received_at'
>;

/** Counts a server's error that is being stored, or was stored without its fault. */
export async function noteErrorRow(
  trx: Transaction<Tables>,
  row: ErrorRow,
  { grouping, frames }: Understood,
): Promise<Noted> {
  const { id, name, message, release } = row;
  return noteOccurrence(trx, {
    id,
    name,
    message,
    release,
    grouping,
    side: 'server',
    app: row.app ?? ownApp,
    culprit: readCulprit(frames, row.route || row.path),
    level: row.level ?? 'error',
    userKey: row.user_key ?? undefined,
    receivedAt: row.received_at || row.time,
  });
}

/** A report's columns, to be stored with it instead of those that it came with. */
export type NotedReport = {
  readonly columns: Pick<Insertable<ReportTable>, 'fault' | 'fingerprint' | 'waits'>;
  readonly turn: Noted['turn'];
};

/** Counts a browser's report. */
export async function noteReportRow(
  trx: Transaction<Tables>,
  row: ReportRow,
  { grouping, frames }: Understood,
): Promise<NotedReport> {
  const { event_id: id, name, message, path, received_at: receivedAt } = row;
  const { fault, turn } = await noteOccurrence(trx, {
    id,
    name,
    message,
    grouping,
    receivedAt,
    side: 'browser',
    app: row.app ?? ownApp,
    culprit: readCulprit(frames, path),
    level: row.level ?? 'error',
    release: row.release ?? '',
    userKey: row.user_key ?? undefined,
  });
  return { columns: { fault, fingerprint: grouping.fingerprint, waits: 0 }, turn };
}
