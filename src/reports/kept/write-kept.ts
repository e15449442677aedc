import 'server-only';

import type { Insertable, Transaction } from 'kysely';

import type { Understanding } from '#src/runtime/errors/error-record.ts';
import type { Store } from '#src/store/open-store.ts';
import type { ErrorTable, Tables } from '#src/store/schema.ts';

import { completeError, insertError } from '../app-errors/insert-error.ts';
import type { ReportToKeep } from '../event/to-rows.ts';
import { noteErrorRow, noteReportRow } from '../faults/note-row.ts';
import { addFeedback } from '../feedback/add-feedback.ts';
import { addOutcomes, countOutcomes } from '../outcomes.ts';
import { makeRoomForReport } from '../report-budget.ts';
import { tellStored, tellStoredReport, toToldError } from '../stored-errors.ts';
import type { ToldError } from '#src/telemetry/told.ts';
import type { Kept } from './kept.ts';

/** Writes what is to be kept, in the caller's transaction. */
export type WrittenKept = {
  /** Whether there was room for it. */
  readonly hasRoom: boolean;
  /** Errors that were not there before, and whose fault is known. */
  readonly errors: readonly ToldError[];
  /** Reports of browsers that were not there before. */
  readonly reports: number;
};

const nothingNew: WrittenKept = { hasRoom: true, errors: [], reports: 0 };

/** To be called once, after the commit. */
export function tellWrittenKept(kept: Kept, { errors, reports }: WrittenKept): void {
  tellStored(errors);
  if (reports > 0) tellStoredReport();
  if (kept.type === 'received') countOutcomes(kept.outcomes);
}

async function writeError(
  trx: Transaction<Tables>,
  row: Insertable<ErrorTable>,
  understanding: Understanding | undefined,
): Promise<ToldError | undefined> {
  const { fault, ordinal } = understanding
    ? await noteErrorRow(trx, row, understanding)
    : { fault: null, ordinal: null };
  await trx
    .insertInto('error')
    .orFail()
    .values({ ...row, fault, ordinal })
    .execute();
  return understanding && toToldError(row, fault);
}

/**
 * Adds the result of the source maps to the row of `id`, unless it is there already.
 * @returns the error, whose fault is known now
 */
export async function writeUnderstanding(
  trx: Transaction<Tables>,
  id: string,
  understanding: Understanding,
): Promise<ToldError | undefined> {
  const { fingerprint, frames } = understanding;
  const json = JSON.stringify(frames);
  const row = await trx
    .selectFrom('error')
    .select(['id', 'app', 'digest', 'trace_id', 'name', 'message', 'route', 'path', 'level', 'release', 'user_key'])
    .select(['time', 'received_at', 'phase', 'kind', 'method', 'request_id', 'stack', 'causes_json', 'frames_json'])
    .where('id', '=', id)
    .where('fingerprint', '=', '')
    .executeTakeFirst();
  // Retention was faster, or another process did it.
  if (!row) return undefined;
  const { fault, ordinal } = await noteErrorRow(trx, row, understanding);
  await trx
    .updateTable('error')
    .set(({ eb }) => ({
      fingerprint,
      fault,
      ordinal,
      frames_json: json,
      bytes: eb('bytes', '+', Buffer.byteLength(json)),
    }))
    .where('id', '=', id)
    .execute();
  return toToldError({ ...row, fingerprint }, fault);
}

/** An SDK that got no answer sends the same event again: that is no second occurrence. */
async function insertReport(trx: Transaction<Tables>, { row, grouping, frames }: ReportToKeep): Promise<boolean> {
  const known = trx.selectFrom('report').select('event_id').where('event_id', '=', row.event_id);
  if (await known.executeTakeFirst()) return false;
  const { columns } = await noteReportRow(trx, row, { grouping, frames });
  await trx
    .insertInto('report')
    .orFail()
    .values({ ...row, ...columns })
    .execute();
  return true;
}

type Received = Extract<Kept, { type: 'received' }>;

async function writeOccurrence(
  trx: Transaction<Tables>,
  store: Store,
  occurrence: Received['occurrence'],
): Promise<WrittenKept> {
  switch (occurrence?.type) {
    case undefined:
      return nothingNew;
    case 'report': {
      const hasRoom = await makeRoomForReport(trx, store, occurrence.row.bytes);
      const isNew = hasRoom && (await insertReport(trx, occurrence));
      return { hasRoom, errors: [], reports: isNew ? 1 : 0 };
    }
    case 'error': {
      const { row, grouping, frames, pairing } = occurrence;
      if (pairing.type === 'known') {
        await completeError(trx, pairing.id, row);
        return nothingNew;
      }
      const replaces = pairing.type === 'replaces' ? pairing.id : undefined;
      const stored = await insertError(trx, { row, grouping, frames, replaces });
      return { ...nothingNew, errors: stored ? [stored] : [] };
    }
  }
}

async function writeReceived(trx: Transaction<Tables>, store: Store, received: Received): Promise<WrittenKept> {
  const { app, occurrence, feedback, outcomes, receivedAt } = received;
  const written = await writeOccurrence(trx, store, occurrence);
  for (const one of written.hasRoom ? feedback : []) await addFeedback(trx, one);
  await addOutcomes(trx, outcomes, receivedAt, app);
  return written;
}

export async function writeKept(trx: Transaction<Tables>, store: Store, kept: Kept): Promise<WrittenKept> {
  switch (kept.type) {
    case 'error': {
      const stored = await writeError(trx, kept.row, kept.understanding);
      return { ...nothingNew, errors: stored ? [stored] : [] };
    }
    case 'understanding': {
      const stored = await writeUnderstanding(trx, kept.id, kept.understanding);
      return { ...nothingNew, errors: stored ? [stored] : [] };
    }
    case 'received':
      return writeReceived(trx, store, kept);
    case 'app-errors': {
      const errors: ToldError[] = [];
      for (const change of kept.changes) {
        const stored = await insertError(trx, change);
        if (stored) errors.push(stored);
      }
      return { ...nothingNew, errors };
    }
    case 'feedback':
      await addFeedback(trx, kept.feedback);
      return nothingNew;
  }
}

/** Whether the database has it. For what comes from a spool: a sender that was told so late may have sent it again by then. */
export async function isWritten(trx: Transaction<Tables>, kept: Kept): Promise<boolean> {
  if (kept.type !== 'error') return false;
  const known = trx.selectFrom('error').select('id').where('id', '=', kept.row.id);
  return (await known.executeTakeFirst()) !== undefined;
}
