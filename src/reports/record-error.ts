import 'server-only';

import type { Insertable } from 'kysely';

import type { ServerErrorRecord } from '#src/runtime/errors/report-error.ts';
import { writeLog } from '#src/runtime/log.ts';
import { openStore } from '#src/store/open-store.ts';
import type { ErrorTable } from '#src/store/schema.ts';

import { scrubSecrets } from './scrub.ts';

let unstored = 0;

/** Server errors of this process that are in the log but not in the database. */
export function countUnstoredErrors(): number {
  return unstored;
}

/** Addresses and names stay, they are often the cause; a password in a connection string never is. */
function toRow(record: ServerErrorRecord): Insertable<ErrorTable> {
  return {
    digest: record.digest,
    fingerprint: record.fingerprint,
    time: record.time,
    phase: record.phase,
    kind: record.kind,
    method: record.method,
    path: record.path,
    request_id: record.requestId,
    trace_id: record.traceId,
    release: record.release,
    name: record.name,
    message: scrubSecrets(record.message),
    stack: scrubSecrets(record.stack),
    frames_json: JSON.stringify(record.frames),
    component_stack: record.componentStack ?? null,
    causes_json: JSON.stringify(record.causes.map(scrubCause)),
  };
}

type Cause = ServerErrorRecord['causes'][number];

function scrubCause({ name, message, stack }: Cause): Cause {
  return { name, message: scrubSecrets(message), stack: scrubSecrets(stack) };
}

async function store(record: ServerErrorRecord): Promise<void> {
  const { commit } = await openStore();
  const result = await commit(async (trx) => {
    await trx.insertInto('error').values(toRow(record)).execute();
  });
  if (result === 'queue-full') throw new Error('too many writes are waiting for the disk');
  if (result === 'no-room') throw new Error('the data folder has no room left');
}

/**
 * Keeps a server error, for `addErrorSink` of the runtime. It returns at once and never throws: its caller is React's
 * `onError`, in the middle of a response. An error that cannot be kept is one log line, under the digest that the full
 * error was logged with a moment before; it does not become an error of its own, or a full disk would feed itself.
 */
export function recordServerError(record: ServerErrorRecord): void {
  store(record).catch((error: unknown) => {
    unstored += 1;
    const reason = error instanceof Error ? error.message : String(error);
    writeLog('error', 'error-not-stored', { digest: record.digest, reason });
  });
}
