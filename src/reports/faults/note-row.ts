import 'server-only';

import type { Insertable, Kysely } from 'kysely';

import { computeGrouping, type Grouping } from '#src/runtime/errors/fingerprint.ts';
import type { SourceFrame } from '#src/runtime/errors/source-maps.ts';
import { ownApp } from '#src/store/own-app.ts';
import type { ErrorTable, ReportTable, Tables } from '#src/store/schema.ts';

import { findServerError, findWaitingReports } from './join-reports.ts';
import { isMaskedMessage, namesFault } from './masked-errors.ts';
import { uncountReport } from './move-report.ts';
import { noteOccurrence, type Noted, type NotedOccurrence } from './note-occurrence.ts';
import { readCulprit } from './read-culprit.ts';

/**
 * From a row of `error` or `report` to its fault. A report that tells of a server's error is counted in that error's fault, as a
 * claim, whichever of the two comes first.
 */

/** What a stack was found to say. */
type Understood = {
  readonly grouping: Grouping;
  readonly frames: readonly SourceFrame[];
  /** See NotedOccurrence. */
  readonly isOfOlderVersion?: boolean;
};

type Common = 'app' | 'digest' | 'name' | 'message' | 'path' | 'trace_id' | 'level' | 'user_key' | 'received_at';
type ErrorRow = Pick<Insertable<ErrorTable>, Common | 'id' | 'route' | 'release' | 'time'>;
type ReportRow = Pick<Insertable<ReportTable>, Common | 'event_id' | 'release'>;

/** Counts a server's error that is being stored, or was stored without its fault. */
export async function noteErrorRow(trx: Kysely<Tables>, row: ErrorRow, understood: Understood): Promise<Noted> {
  const { id, name, message, release, digest, time, trace_id } = row;
  const { frames, ...grouped } = understood;
  const app = row.app ?? ownApp;
  const noted = await noteOccurrence(trx, {
    id,
    app,
    name,
    message,
    release,
    ...grouped,
    side: 'server',
    culprit: readCulprit(frames, row.route || row.path),
    level: row.level ?? 'error',
    userKey: row.user_key ?? undefined,
    receivedAt: row.received_at || time,
  });
  for (const report of await findWaitingReports(trx, { app, digest: digest ?? null, time, trace_id })) {
    await moveReport(trx, report, noted.fault, understood.grouping);
  }
  return noted;
}

function toOccurrence(row: ReportRow, culprit: string): Omit<NotedOccurrence, 'grouping'> {
  const { event_id: id, name, message, received_at: receivedAt } = row;
  return {
    id,
    name,
    message,
    culprit,
    receivedAt,
    side: 'browser',
    app: row.app ?? ownApp,
    level: row.level ?? 'error',
    release: row.release ?? '',
    userKey: row.user_key ?? undefined,
  };
}

/** The error of the server has come. */
async function moveReport(trx: Kysely<Tables>, id: string, fault: string, grouping: Grouping): Promise<void> {
  const row = await trx
    .selectFrom('report')
    .select(['event_id', 'app', 'digest', 'name', 'message', 'path', 'trace_id', 'level', 'user_key', 'received_at'])
    .select(['release', 'fault', 'fingerprint', 'ordinal'])
    .where('event_id', '=', id)
    .executeTakeFirstOrThrow();
  const { app, fault: before, fingerprint: hash, received_at: receivedAt } = row;
  let { ordinal } = row;
  if (before !== fault) {
    ({ ordinal } = await noteOccurrence(trx, { ...toOccurrence(row, row.path), grouping }));
    if (before !== null) await uncountReport(trx, { app, hash, receivedAt, fault: before }, fault);
  }
  const columns = { fault, ordinal, waits: 0, fingerprint: before === fault ? hash : grouping.fingerprint };
  await trx.updateTable('report').set(columns).where('event_id', '=', id).execute();
  await trx.updateTable('feedback').set({ fault }).where('event_id', '=', id).execute();
}

/** All that is known of it is its digest, or else where it was seen. */
function groupMasked({ name, message, digest, path }: ReportRow): Grouping {
  const named = digest && namesFault(digest) ? { name: `${name} with digest ${digest}` } : { name, culprit: path };
  return computeGrouping({ message, frames: [], ...named });
}

/** A report's columns, to be stored with it instead of those that it came with. */
export type NotedReport = {
  readonly columns: Pick<Insertable<ReportTable>, 'fault' | 'fingerprint' | 'ordinal' | 'waits'>;
  readonly turn: Noted['turn'];
};

/** Counts a browser's report. */
export async function noteReportRow(
  trx: Kysely<Tables>,
  row: ReportRow,
  { frames, ...understood }: Understood,
): Promise<NotedReport> {
  const app = row.app ?? ownApp;
  const server = await findServerError(trx, { ...row, app });
  // Its stack is not understood yet; what understands it counts this report, too.
  if (server && server.fault === null) {
    return {
      columns: { fault: null, fingerprint: understood.grouping.fingerprint, ordinal: null, waits: 1 },
      turn: undefined,
    };
  }
  const isMasked = isMaskedMessage(row.message);
  const grouping = server
    ? { ...understood.grouping, fingerprint: server.fingerprint, older: [] }
    : isMasked
      ? groupMasked(row)
      : understood.grouping;
  const { fault, ordinal, turn } = await noteOccurrence(trx, {
    ...toOccurrence(row, readCulprit(frames, row.path)),
    ...understood,
    grouping,
  });
  const waits = !server && (row.digest || isMasked) ? 1 : 0;
  return { columns: { fault, ordinal, waits, fingerprint: grouping.fingerprint }, turn };
}
