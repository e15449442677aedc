import 'server-only';

import { createTally } from '#src/server/http/tally.ts';
import { ownApp } from '#src/store/own-app.ts';
import type { NewEvent } from '#src/store/schema.ts';
import type { ExportedError } from '#src/flights/telemetry/exported.ts';

/*
 * Tells of each error that was stored and has its fault: once, by the process that stored it, after it was committed, and with
 * the texts as they were stored, scrubbed. Counts them for `/metrics`, and hands errors of servers to whoever listens.
 *
 * An error of ours whose source map has to be read is told when its fault is known. What is only better described by a second
 * sender is not told again.
 */

/** @param row as it was written */
export function toExportedError(row: NewEvent, fault: string | null): ExportedError {
  const { time, phase = 'unknown', kind = 'unknown', method = '', path, release = '', name, message, stack = '' } = row;
  return {
    time,
    phase,
    kind,
    method,
    path,
    release,
    name,
    message,
    stack,
    app: row.app ?? ownApp,
    hasFlight: (row.app ?? ownApp) === ownApp || row.framework === 'waku',
    digest: row.digest ?? undefined,
    fault: fault ?? undefined,
    route: row.route ?? '',
    requestId: row.request_id ?? '',
    traceId: row.trace_id ?? '',
  };
}

/** By side and phase. What browsers say has no phase. */
export const storedCounts = createTally();

type Listener = (errors: readonly ExportedError[]) => void;
let listener: Listener | undefined;

/** One at most. @returns a function that ends it */
export function onStoredErrors(listen: Listener): () => void {
  listener = listen;
  return () => (listener = undefined);
}

/** Call it after the commit. */
export function tellStored(errors: readonly ExportedError[]): void {
  for (const { phase } of errors) storedCounts.add('server', phase);
  if (errors.length > 0) listener?.(errors);
}

/** A browser's error. */
export function tellStoredUntrusted(): void {
  storedCounts.add('browser', 'untrusted');
}
