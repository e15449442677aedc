import 'server-only';

import type { Insertable } from 'kysely';

import { createTally } from '#src/http/tally.ts';
import { ownApp } from '#src/store/own-app.ts';
import type { ErrorTable } from '#src/store/schema.ts';
import type { ToldError } from '#src/telemetry/told.ts';

/*
 * Tells of each occurrence that was stored and has its fault: once, by the process that stored it, after it was committed, and with
 * the texts as they were stored, scrubbed. Counts them for `/metrics`, and hands errors of servers to whoever listens.
 *
 * An error of ours whose source map has to be read is told when its fault is known. What is only better described by a second
 * sender is not told again.
 */

type Row = Insertable<ErrorTable>;

/** @param row as it was written */
export function toToldError(row: Row, fault: string | null): ToldError {
  const { time, phase, kind, method, path, release, name, message, stack } = row;
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
    requestId: row.request_id,
    traceId: row.trace_id,
  };
}

/** By side and phase. What browsers say has no phase. */
export const storedCounts = createTally();

type Listener = (errors: readonly ToldError[]) => void;
let listener: Listener | undefined;

/** One at most. @returns a function that ends it */
export function onStoredErrors(listen: Listener): () => void {
  listener = listen;
  return () => (listener = undefined);
}

/** To be called after the commit. */
export function tellStored(errors: readonly ToldError[]): void {
  for (const { phase } of errors) storedCounts.add('server', phase);
  if (errors.length > 0) listener?.(errors);
}

/** A browser's report. */
export function tellStoredReport(): void {
  storedCounts.add('browser', 'report');
}
