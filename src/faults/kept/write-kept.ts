import 'server-only';

import type { Transaction } from 'kysely';

import type { Understanding } from '#src/runtime/errors/error-record.ts';
import type { Store } from '#src/store/open-store.ts';
import { ownApp } from '#src/store/own-app.ts';
import { isTrusted } from '#src/store/event-columns.ts';
import type { NewEvent, Tables } from '#src/store/schema.ts';

import { completeError, insertError } from '../app-errors/insert-error.ts';
import { noteEvent } from '../grouping/note-row.ts';
import { addFeedback } from '../feedback/add-feedback.ts';
import { addOutcomes, countOutcomes } from '../receive/outcomes.ts';
import { makeRoomForUntrusted } from '../receive/untrusted-budget.ts';
import { insertEvent, storeEvent } from './insert-event.ts';
import { selectEvents } from './select-events.ts';
import { thinFault } from './thin-fault.ts';
import { tellStored, tellStoredUntrusted, toExportedError } from './stored-errors.ts';
import type { ExportedError } from '#src/flights/telemetry/exported.ts';
import type { Kept } from './kept.ts';

/** Writes what is to be kept, in the caller's transaction. */
export type WrittenKept = {
  /** Whether there was room for it. */
  readonly hasRoom: boolean;
  /** Errors that were not there before, and whose fault is known. */
  readonly errors: readonly ExportedError[];
  /** Errors of browsers that were not there before. */
  readonly untrusted: number;
};

/** What thinning asks of a store. */
type Limits = Pick<Store, 'limitBytes'>;

const nothingNew: WrittenKept = { hasRoom: true, errors: [], untrusted: 0 };

/** Call it once, after the commit. */
export function tellWrittenKept(kept: Kept, { errors, untrusted }: WrittenKept): void {
  tellStored(errors);
  if (untrusted > 0) tellStoredUntrusted();
  if (kept.type === 'envelope') countOutcomes(kept.outcomes);
}

async function writeOwn(
  trx: Transaction<Tables>,
  store: Limits,
  row: NewEvent,
  understanding: Understanding | undefined,
): Promise<ExportedError | undefined> {
  if (!understanding) {
    await insertEvent(trx, row);
    return undefined;
  }
  const { fault } = await storeEvent(trx, store, { row, ...understanding });
  return toExportedError(row, fault);
}

/**
 * Adds the result of the source maps to the row of `id`, unless it is there already.
 * @returns the error, whose fault is known now
 */
export async function writeUnderstanding(
  trx: Transaction<Tables>,
  store: Limits,
  id: string,
  understanding: Understanding,
): Promise<ExportedError | undefined> {
  const { frames } = understanding;
  const json = JSON.stringify(frames);
  const row = await selectEvents(trx, 'server')
    .selectAll()
    .where('id', '=', id)
    .where('fingerprint', '=', '')
    .executeTakeFirst();
  // Retention was faster, or another process did it.
  if (!row) return undefined;
  const { columns } = await noteEvent(trx, row, understanding);
  await trx
    .updateTable('event')
    .set(({ eb }) => ({ ...columns, frames_json: json, bytes: eb('bytes', '+', Buffer.byteLength(json)) }))
    .where('id', '=', id)
    .where('side', '=', 'server')
    .execute();
  await thinFault(trx, store, 'server', columns);
  return toExportedError(row, columns.fault);
}

type Received = Extract<Kept, { type: 'envelope' }>;
type ReceivedEvent = NonNullable<Received['event']>;

/** Anybody can post it: it has to find room among what browsers report. An SDK that got no answer sends the same event again. */
async function writeUntrusted(
  trx: Transaction<Tables>,
  store: Store,
  { row, grouping, frames }: ReceivedEvent,
): Promise<WrittenKept> {
  const hasRoom = await makeRoomForUntrusted(trx, store, { app: row.app ?? ownApp, bytes: row.bytes });
  if (!hasRoom) return { hasRoom, errors: [], untrusted: 0 };
  const known = selectEvents(trx, 'browser').select('id').where('id', '=', row.id);
  if (await known.executeTakeFirst()) return nothingNew;
  await storeEvent(trx, store, { row, grouping, frames });
  return { ...nothingNew, untrusted: 1 };
}

async function writeTrusted(
  trx: Transaction<Tables>,
  store: Store,
  { row, grouping, frames, pairing }: ReceivedEvent,
): Promise<WrittenKept> {
  if (pairing.type === 'known') {
    await completeError(trx, pairing.id, row);
    return nothingNew;
  }
  const replaces = pairing.type === 'replaces' ? pairing.id : undefined;
  const stored = await insertError(trx, store, { row, grouping, frames, replaces });
  return { ...nothingNew, errors: stored ? [stored] : [] };
}

async function writeEvent(trx: Transaction<Tables>, store: Store, event: Received['event']): Promise<WrittenKept> {
  if (!event) return nothingNew;
  return isTrusted(event.row.side) ? writeTrusted(trx, store, event) : writeUntrusted(trx, store, event);
}

async function writeReceived(trx: Transaction<Tables>, store: Store, received: Received): Promise<WrittenKept> {
  const { app, event, feedback, outcomes, receivedAt } = received;
  const written = await writeEvent(trx, store, event);
  for (const one of written.hasRoom ? feedback : []) await addFeedback(trx, one);
  await addOutcomes(trx, outcomes, receivedAt, app);
  return written;
}

export async function writeKept(trx: Transaction<Tables>, store: Store, kept: Kept): Promise<WrittenKept> {
  switch (kept.type) {
    case 'own': {
      const stored = await writeOwn(trx, store, kept.row, kept.understanding);
      return { ...nothingNew, errors: stored ? [stored] : [] };
    }
    case 'understanding': {
      const stored = await writeUnderstanding(trx, store, kept.id, kept.understanding);
      return { ...nothingNew, errors: stored ? [stored] : [] };
    }
    case 'envelope':
      return writeReceived(trx, store, kept);
    case 'app-events': {
      const errors: ExportedError[] = [];
      for (const change of kept.changes) {
        const stored = await insertError(trx, store, change);
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
  if (kept.type !== 'own') return false;
  const known = selectEvents(trx, 'server').select('id').where('id', '=', kept.row.id);
  return (await known.executeTakeFirst()) !== undefined;
}
