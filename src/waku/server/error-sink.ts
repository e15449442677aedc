import 'server-only';

import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as wait } from 'node:timers/promises';

import { readFrames, understandError, type ErrorToKeep } from '#src/runtime/errors/error-record.ts';
import type { ErrorSink } from '#src/runtime/errors/report-error.ts';
import { mintEventId, type AppError } from '#report/sender/app-error.ts';
import type { Sender } from '#report/sender/create-sender.ts';

/**
 * Sends each error of the app's server to the recorder, and holds its digest back until the recorder has it: a digest that a
 * visitor has read leads to its cause, even when this process is killed a moment later.
 *
 * The app comes first, so that wait has a bound. A recorder that does not answer within it makes no further answer wait until it
 * has answered again; what is not sent stays in the sender's queue, and the app's output has digest and stack of every error.
 */

/**
 * A recorder on the same machine answers in some 10 ms, with the write to the disk, and one elsewhere needs its way there and back
 * besides. A visitor who is shown an error page does not notice a quarter of a second.
 */
const holdMs = 250;

/** What called the code of a cause mostly stands in the error above it, too. */
const causeFramesKept = 10;

/** React's and the request's contexts must not live as long as a connection to the recorder. */
const runOutsideRequest = AsyncLocalStorage.snapshot();

function toAppError({ record, understanding, breadcrumbs }: ErrorToKeep, id: string = mintEventId()): AppError {
  const { digest, time, phase, kind, method, path, requestId, traceId, release } = record;
  const { name, message, stack, componentStack, causes } = record;
  // The maps of the app's own bundles are here and nowhere else. Reading one takes up to a tenth of a second, once.
  const { frames } = understanding ?? understandError(record, causes);
  return {
    id,
    time,
    reporter: 'waku',
    digest,
    framework: 'waku',
    phase,
    kind,
    request: { method, path, id: requestId, traceId },
    release,
    runtime: `Node ${process.versions.node}`,
    name,
    message,
    stack,
    frames,
    causes: causes.map((cause) => ({ ...cause, frames: readFrames(cause).slice(0, causeFramesKept) })),
    componentStack,
    breadcrumbs,
  };
}

export function createErrorSink(sender: Sender, boundMs: number = holdMs): ErrorSink {
  /** One error was not taken within the bound, and none has been taken since. */
  let isLate = false;

  async function send(error: ErrorToKeep): Promise<void> {
    const fate = await runOutsideRequest(() => sender.send(() => toAppError(error), error.record));
    if (fate === 'stored') isLate = false;
  }

  return {
    async keep(error) {
      const sent = send(error);
      if (isLate) return;
      const bound = new AbortController();
      const late = wait(boundMs, 'late' as const, { signal: bound.signal, ref: false }).catch(() => undefined);
      const first = await Promise.race([sent, late]);
      if (first === 'late') isLate = true;
      bound.abort();
    },
    complete() {},
  };
}
