import 'server-only';

import { setImmediate as nextTurn } from 'node:timers/promises';

import { openStore } from '#src/store/open-store.ts';

import { keep } from '../kept/keep.ts';
import { takesEvents } from '../receive/untrusted-budget.ts';
import { toRowKey } from '../kept/row-key.ts';
import type { ErrorChange } from './insert-error.ts';
import { appErrorPairs } from './pair-reports.ts';
import type { ReceivedAppError } from './read-app-errors.ts';
import { toErrorRow } from './to-error-row.ts';

/**
 * Stores errors of another app. They share a table with our own; retention.ts keeps their share from costing one of ours.
 * Writing them waits behind our own errors, and before reports of strangers. When this resolves to `stored`, they are on disk.
 */
export type StoreResult =
  | { readonly type: 'stored'; /** Rows that were not there before. */ readonly added: number }
  | { readonly type: 'no-room'; readonly reason: string };

function plan(app: string, error: ReceivedAppError, receivedAt: number): ErrorChange | undefined {
  const id = toRowKey(app, error.id);
  const from = error.reporter === 'log' ? 'log' : 'reporter';
  const { name, message, time } = error;
  const change = toErrorRow(app, error, receivedAt);
  const { fingerprint } = change.row;
  const pairing = appErrorPairs.pair(
    { app, from, digest: error.digest ?? undefined, name, message, fingerprint, time, id },
    receivedAt,
  );
  // An SDK does not know the digest that Next.js prints.
  if (pairing.type === 'known') return from === 'log' && error.digest ? { ...change, names: pairing.id } : undefined;
  const replaces = pairing.type === 'replaces' ? pairing.id : undefined;
  return { ...change, replaces, isPrinted: from === 'log' };
}

/** @throws the database's error when the rows could not be written */
export async function storeAppErrors(app: string, errors: readonly ReceivedAppError[]): Promise<StoreResult> {
  const receivedAt = Date.now();
  const hasRoom = takesEvents(await openStore());
  if (!hasRoom) return { type: 'no-room', reason: 'the data folder has no room for errors of apps' };
  const changes: ErrorChange[] = [];
  let isStored = false;
  try {
    for (const error of errors) {
      const change = plan(app, error, receivedAt);
      if (change) changes.push(change);
      // Scrubbing a hostile text takes some ten milliseconds: pages are served in between.
      await nextTurn();
    }
    const bytes = changes.reduce((sum, { row }) => sum + (row.bytes ?? 0), 0);
    const outcome = await keep({ type: 'app-events', changes }, bytes);
    isStored = outcome.status === 'committed' || outcome.status === 'spooled';
    if (!isStored) return { type: 'no-room', reason: `the write was not taken: ${outcome.status}` };
    // Of what is spooled nobody knows whether it is there already, before the database answers.
    return { type: 'stored', added: outcome.status === 'committed' ? outcome.errors.length : changes.length };
  } finally {
    if (!isStored) for (const { row } of changes) appErrorPairs.forget(row.id);
  }
}
