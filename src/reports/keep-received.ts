import 'server-only';

import type { Transaction } from 'kysely';

import { openStore, type Store } from '#src/store/open-store.ts';
import type { Tables } from '#src/store/schema.ts';

import { completeError, insertError } from './app-errors/insert-error.ts';
import { appErrorPairs } from './app-errors/pair-reports.ts';
import type { ErrorToStore, ReportToKeep } from './event/to-rows.ts';
import { noteReportRow } from './faults/note-row.ts';
import { addFeedback, type NewFeedback } from './feedback/add-feedback.ts';
import { addOutcomes, type Outcome } from './outcomes.ts';
import { makeRoomForReport, refusedFill } from './report-budget.ts';

/**
 * Writes what was received, in one transaction. A browser's report and a server's error are in different tables, and the first
 * has a budget of its own: whatever is posted with a browser's key costs no error.
 */
export type Received = {
  readonly app: string;
  readonly occurrence: ReportToKeep | ErrorToStore | undefined;
  readonly feedback: readonly NewFeedback[];
  readonly outcomes: readonly Outcome[];
  /** By our clock. */
  readonly receivedAt: number;
};

export type KeepResult = 'kept' | 'queue-full' | 'no-room';

/** An SDK that got no answer sends the same event again: that is no second occurrence. */
async function insertReport(trx: Transaction<Tables>, { row, grouping, frames }: ReportToKeep): Promise<void> {
  const known = trx.selectFrom('report').select('event_id').where('event_id', '=', row.event_id);
  if (await known.executeTakeFirst()) return;
  const { columns } = await noteReportRow(trx, row, { grouping, frames });
  await trx
    .insertInto('report')
    .orFail()
    .values({ ...row, ...columns })
    .execute();
}

type WriteError = (trx: Transaction<Tables>) => Promise<unknown>;

/** One of our reporters may have sent the same error: see pair-reports.ts. */
function planError(app: string, { row, grouping, frames }: ErrorToStore, receivedAt: number): WriteError {
  const { id, name, message, digest, time } = row;
  const pairing = appErrorPairs.pair(
    { app, from: 'sdk', id, name, message, time, digest: digest ?? undefined },
    receivedAt,
  );
  switch (pairing.type) {
    case 'known':
      return (trx) => completeError(trx, pairing.id, row);
    case 'replaces':
      return (trx) => insertError(trx, { row, grouping, frames, replaces: pairing.id });
    case 'new':
      return (trx) => insertError(trx, { row, grouping, frames, replaces: undefined });
  }
}

type Plan = {
  /** @returns whether there was room */
  readonly write: (trx: Transaction<Tables>) => Promise<boolean>;
  readonly undo: () => void;
};

function planOccurrence(store: Store, { app, occurrence, receivedAt }: Received): Plan {
  switch (occurrence?.type) {
    case undefined:
      return { write: async () => true, undo: () => undefined };
    case 'report':
      return {
        async write(trx) {
          const hasRoom = await makeRoomForReport(trx, store, occurrence.row.bytes);
          if (hasRoom) await insertReport(trx, occurrence);
          return hasRoom;
        },
        undo: () => undefined,
      };
    case 'error': {
      if (store.measureFill() > refusedFill) return { write: async () => false, undo: () => undefined };
      const write = planError(app, occurrence, receivedAt);
      return {
        async write(trx) {
          await write(trx);
          return true;
        },
        undo: () => appErrorPairs.forget(occurrence.row.id),
      };
    }
  }
}

/**
 * Resolves when all of it is on disk.
 * @throws the database's error when it could not be written
 */
export async function keepReceived(received: Received): Promise<KeepResult> {
  const { app, occurrence, feedback, outcomes, receivedAt } = received;
  const store = await openStore();
  const plan = planOccurrence(store, received);
  let hasRoom = true;
  let isKept = false;
  try {
    async function write(trx: Transaction<Tables>): Promise<void> {
      hasRoom = await plan.write(trx);
      for (const one of hasRoom ? feedback : []) await addFeedback(trx, one);
      await addOutcomes(trx, outcomes, receivedAt, app);
    }
    // Whoever has the secret key does not wait behind strangers.
    const kind = occurrence?.type === 'error' ? 'app-error' : 'report';
    const result = await store.commit(write, kind, occurrence?.row.bytes);
    if (result !== 'committed') return result;
    isKept = hasRoom;
    return hasRoom ? 'kept' : 'no-room';
  } finally {
    if (!isKept) plan.undo();
  }
}
