import 'server-only';

import type {
  ErrorToKeep,
  RawErrorRecord,
  ServerErrorRecord,
  Understanding,
} from '#src/runtime/errors/error-record.ts';
import type { ErrorSink } from '#src/runtime/errors/report-error.ts';
import { describeError } from '#boundary';
import { writeLog } from '#src/server/http/log.ts';
import type { Store } from '#src/store/open-store.ts';
import { countBytes } from '#src/store/event-columns.ts';
import type { NewEvent } from '#src/store/schema.ts';

import { keep } from './keep.ts';
import { writeUnderstanding } from './write-kept.ts';
import { formatServerBreadcrumbs } from '../event/server-breadcrumbs.ts';
import { scrubSecrets } from '../scrubbing/scrub.ts';
import { tellStored } from './stored-errors.ts';
import type { ExportedError } from '#src/flights/telemetry/exported.ts';
import { forgetUnkept, noteUnkept } from '../digests/unkept-digests.ts';

/**
 * Keeps the server's errors. The digest of an error is held back until its row is on disk, so the row is written as
 * soon as possible. At first it holds the error as it was thrown; it is complete at once when no source map has to be
 * read. Otherwise the result of the source maps is added to the same row later. Until then the row's fingerprint is
 * empty, also after a crash: see complete-errors.ts.
 */

/**
 * How long a digest waits for the disk. As long as a write waits for another process's lock (open-store.ts), and about
 * as long as a visitor takes a page for loading. After that the digest is sent, and the log line is the record.
 */
const keepDeadlineMs = 1_000;

let unstored = 0;

/** Errors that were kept and whose source maps are being read. A reader of such an error waits for it. */
const incomplete = new Map<string, PromiseWithResolvers<void>>();

/** Server errors of this process that only the log has, not the database. */
export function countUnstoredErrors(): number {
  return unstored;
}

/**
 * Resolves when the result of the source maps is stored for `digest`. Resolves at once when no result is expected, and
 * after a deadline when the disk does not answer.
 */
export async function whenComplete(digest: string): Promise<void> {
  const waiting = incomplete.get(digest);
  if (!waiting) return;
  const timer = setTimeout(waiting.resolve, keepDeadlineMs);
  await waiting.promise;
  clearTimeout(timer);
}

type Cause = RawErrorRecord['causes'][number];

function scrubCause({ name, message, stack }: Cause): Cause {
  return { name, message: scrubSecrets(message), stack: scrubSecrets(stack) };
}

type Texts = Pick<NewEvent, 'message' | 'stack' | 'causes_json' | 'component_stack' | 'breadcrumbs_json'>;

/** Addresses and names stay, because they are often the cause. A password in a connection string is never the cause. */
function toTexts({ record, breadcrumbs }: ErrorToKeep): Texts {
  return {
    message: scrubSecrets(record.message),
    stack: scrubSecrets(record.stack),
    component_stack: record.componentStack === undefined ? null : scrubSecrets(record.componentStack),
    causes_json: JSON.stringify(record.causes.map(scrubCause)),
    breadcrumbs_json: formatServerBreadcrumbs(breadcrumbs),
  };
}

function toRow(error: ErrorToKeep): NewEvent {
  const { record, understanding } = error;
  const row = {
    id: record.digest,
    side: 'server',
    digest: record.digest,
    fingerprint: understanding?.fingerprint ?? '',
    time: record.time,
    received_at: record.time,
    phase: record.phase,
    kind: record.kind,
    method: record.method,
    path: record.path,
    request_id: record.requestId,
    trace_id: record.traceId,
    release: record.release,
    name: record.name,
    frames_json: JSON.stringify(understanding?.frames ?? []),
    ...toTexts(error),
  } as const;
  // How long our own release is, no sender decides.
  return { ...row, bytes: countBytes({ ...row, release: '' }) };
}

/**
 * An error that cannot be kept is one log line, under the digest with which the full error was logged a moment before.
 * It does not become another error: on a full disk each error would then cause the next.
 */
async function keepRow(row: NewEvent, understanding: Understanding | undefined): Promise<void> {
  try {
    const { status } = await keep({ type: 'own', row, understanding });
    switch (status) {
      case 'committed':
        return forgetUnkept(row.id);
      case 'spooled':
        return noteUnkept(row.id, { time: row.time, type: 'waiting' });
      case 'queue-full':
        throw new Error('too many writes are waiting');
      case 'no-room':
        throw new Error('the data folder has no room left');
    }
  } catch (error) {
    unstored += 1;
    const reason = describeError(error);
    noteUnkept(row.id, { time: row.time, type: 'logged', reason });
    writeLog('error', 'error-not-stored', { digest: row.id, reason });
  }
}

async function keepError(error: ErrorToKeep): Promise<void> {
  const { record, understanding } = error;
  const { digest, time } = record;
  if (!understanding) incomplete.set(digest, Promise.withResolvers());
  const row = toRow(error);
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    const reason = `the disk did not take it within ${keepDeadlineMs / 1000} s`;
    noteUnkept(digest, { time, type: 'logged', reason });
    writeLog('error', 'error-not-stored-in-time', { digest, reason });
    late.resolve();
  }, keepDeadlineMs);
  await Promise.race([keepRow(row, understanding), late.promise]);
  clearTimeout(timer);
}

/**
 * Adds the result of the source maps to the row of `id`, unless it is there already.
 * @returns whether the store took it
 */
export async function storeUnderstanding(
  store: Pick<Store, 'commit' | 'limitBytes'>,
  id: string,
  understanding: Understanding,
): Promise<boolean> {
  let stored: ExportedError | undefined;
  const result = await store.commit(async (trx) => {
    stored = await writeUnderstanding(trx, store, id, understanding);
  });
  if (result !== 'committed') return false;
  if (stored) tellStored([stored]);
  return true;
}

async function complete({ digest, fingerprint, grouping, frames }: ServerErrorRecord): Promise<void> {
  const waiting = incomplete.get(digest);
  if (!waiting) return;
  try {
    await keep({ type: 'understanding', id: digest, understanding: { fingerprint, grouping, frames } });
  } finally {
    incomplete.delete(digest);
    waiting.resolve();
  }
}

/** For `addErrorSink` of the runtime. */
export const errorStore = { keep: keepError, complete } satisfies ErrorSink;
