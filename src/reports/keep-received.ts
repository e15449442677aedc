import 'server-only';

import { openStore, type Store } from '#src/store/open-store.ts';

import { appErrorPairs } from './app-errors/pair-reports.ts';
import type { ErrorToStore, ReportToKeep } from './event/to-rows.ts';
import type { NewFeedback } from './feedback/add-feedback.ts';
import { keep } from './kept/keep.ts';
import type { Kept } from './kept/kept.ts';
import type { Outcome } from './outcomes.ts';
import { refusedFill } from './report-budget.ts';

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

type Planned = {
  /** Without the occurrence when there is no room for it. */
  readonly kept: Extract<Kept, { type: 'received' }>;
  readonly hasRoom: boolean;
  readonly undo: () => void;
};

/** One of our reporters may have sent the same error: see pair-reports.ts. */
function plan({ measureFill }: Store, received: Received): Planned {
  const { app, occurrence, receivedAt } = received;
  const undo = (): void => undefined;
  if (occurrence?.type !== 'error') {
    return { kept: { ...received, type: 'received', occurrence }, hasRoom: true, undo };
  }
  if (measureFill() > refusedFill) {
    return { kept: { ...received, type: 'received', occurrence: undefined, feedback: [] }, hasRoom: false, undo };
  }
  const { id, name, message, digest, time } = occurrence.row;
  const pairing = appErrorPairs.pair(
    { app, from: 'sdk', id, name, message, time, digest: digest ?? undefined },
    receivedAt,
  );
  return {
    kept: { ...received, type: 'received', occurrence: { ...occurrence, pairing } },
    hasRoom: true,
    undo: () => appErrorPairs.forget(id),
  };
}

/**
 * Resolves when all of it is on disk.
 * @throws the database's error when it could not be written
 */
export async function keepReceived(received: Received): Promise<KeepResult> {
  const { kept, hasRoom, undo } = plan(await openStore(), received);
  let isKept = false;
  try {
    const outcome = await keep(kept, kept.occurrence?.row.bytes);
    switch (outcome.status) {
      case 'committed':
        isKept = hasRoom && outcome.hasRoom;
        break;
      case 'spooled':
        isKept = hasRoom;
        break;
      case 'queue-full':
      case 'no-room':
        return outcome.status;
    }
    return isKept ? 'kept' : 'no-room';
  } finally {
    if (!isKept) undo();
  }
}
