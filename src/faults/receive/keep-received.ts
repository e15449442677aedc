import 'server-only';

import { isTrusted } from '#src/store/event-columns.ts';
import { openStore, type Store } from '#src/store/open-store.ts';

import { appErrorPairs } from '../app-errors/pair-reports.ts';
import type { NewFeedback } from '../feedback/add-feedback.ts';
import type { EventToKeep } from '../kept/insert-event.ts';
import { keep } from '../kept/keep.ts';
import type { Kept } from '../kept/kept.ts';
import type { Outcome } from './outcomes.ts';
import { takesEvents } from './untrusted-budget.ts';

/**
 * Writes what was received, in one transaction. What a browser reports has a budget of its own: whatever is posted with a browser's
 * key costs no error of a server.
 */
export type Received = {
  readonly app: string;
  readonly event: EventToKeep | undefined;
  readonly feedback: readonly NewFeedback[];
  readonly outcomes: readonly Outcome[];
  /** By our clock. */
  readonly receivedAt: number;
};

export type KeepResult = 'kept' | 'queue-full' | 'no-room';

type Planned = {
  /** Without the event when there is no room for it. */
  readonly kept: Extract<Kept, { type: 'envelope' }>;
  readonly hasRoom: boolean;
  readonly undo: () => void;
};

/** One of our reporters may have sent the same error: see pair-reports.ts. */
function plan(store: Store, received: Received): Planned {
  const { app, event, receivedAt } = received;
  const undo = (): void => undefined;
  if (!event || !isTrusted(event.row.side)) {
    const alone = event && ({ ...event, pairing: { type: 'new' } } as const);
    return { kept: { ...received, type: 'envelope', event: alone }, hasRoom: true, undo };
  }
  if (!takesEvents(store)) {
    return { kept: { ...received, type: 'envelope', event: undefined, feedback: [] }, hasRoom: false, undo };
  }
  const { id, name, message, fingerprint, digest, time } = event.row;
  const pairing = appErrorPairs.pair(
    { app, from: 'sdk', id, name, message, fingerprint, time, digest: digest ?? undefined },
    receivedAt,
  );
  return {
    kept: { ...received, type: 'envelope', event: { ...event, pairing } },
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
    const outcome = await keep(kept, kept.event?.row.bytes);
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
