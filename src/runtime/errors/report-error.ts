import 'server-only';

import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';

import { currentRequest, type ErrorPhase, type RequestContext } from '#src/server/http/request-context.ts';
import { writeLog } from '#src/server/http/log.ts';
import { readControl } from '../control-errors.ts';
import { rememberCause } from './dev-causes.ts';
import { mintDigest, readDigest } from '#report/digest.ts';
import {
  createRawRecord,
  describeThrown,
  inspectValue,
  isUnderstoodAtOnce,
  understandError,
  type Described,
  type ErrorToKeep,
  type ErrorContext,
  type RawErrorRecord,
  type ServerErrorRecord,
  type Understanding,
} from './error-record.ts';
import { listBreadcrumbs } from '../reporting/breadcrumbs.ts';
import { holdDigest } from './kept-digests.ts';

/**
 * The one place where a server error gets its digest. The digest is minted at once, because React puts it into the
 * response. One turn of the event loop later the record is made, logged and passed to the sinks. The bytes that carry
 * the digest wait until the sinks have it. Slow work, which is reading a bundle's source map, comes after that.
 */
export type ErrorSink = {
  /** Called first. The digest is held back until the promise settles, so it must settle within a bounded time. */
  readonly keep?: (error: ErrorToKeep) => Promise<void>;
  /** Called once for every error, when everything is known and the digest has been sent. `error` is what was thrown. */
  readonly complete: (
    record: ServerErrorRecord,
    error: unknown,
    breadcrumbs: ErrorToKeep['breadcrumbs'],
  ) => void | Promise<void>;
};

const sinks = new Set<ErrorSink>();
/** Errors that not every sink has completed yet. */
const deliveries = new Set<Promise<void>>();
/**
 * An error object passes here more than once: Flight reports it, then Fizz reports it when the decoded copy throws
 * again.
 */
const knownDigests = new WeakMap<object, string>();

/** Longer than an error may wait for the disk. A process that ends does not wait for a disk that does not answer. */
const settleMs = 2_000;

/** Resolves when every error that was reported before is kept and completed, or after two seconds. */
export async function settleDeliveries(): Promise<void> {
  const late = new AbortController();
  const all = Promise.all(deliveries).finally(() => late.abort());
  await Promise.race([all, wait(settleMs, undefined, { signal: late.signal }).catch(() => undefined)]);
}

export function addErrorSink(sink: ErrorSink): () => void {
  sinks.add(sink);
  return () => sinks.delete(sink);
}

function readRawDigest(thrown: unknown): string | undefined {
  return typeof thrown === 'object' && thrown !== null && 'digest' in thrown && typeof thrown.digest === 'string'
    ? thrown.digest
    : undefined;
}

/**
 * When a visitor leaves, the rendering is aborted, and errors of an aborted rendering are not recorded. Errors of an
 * action are: it changes data, and an operator must see a change that stopped half-way. Errors that nobody caught are
 * recorded too.
 */
function isNoLoss(thrown: unknown, phase: ErrorPhase, signal: AbortSignal): boolean {
  const isAbort = thrown === signal.reason || (thrown instanceof Error && thrown.name === 'AbortError');
  return isAbort || (phase !== 'action' && phase !== 'process');
}

/**
 * Gives `thrown` a digest and records it.
 * @returns the digest for the response; Waku's own for control flow; undefined when the visitor has left
 */
export function reportError(
  thrown: unknown,
  phase: ErrorPhase,
  info: { readonly componentStack?: string | null | undefined; readonly request?: RequestContext | undefined } = {},
): string | undefined {
  // Control flow: its digest is Waku's and must stay.
  if (readControl(thrown)) return readRawDigest(thrown);
  const request = info.request ?? currentRequest();
  if (request?.signal.aborted && isNoLoss(thrown, phase, request.signal)) return undefined;
  const known = typeof thrown === 'object' && thrown !== null ? knownDigests.get(thrown) : undefined;
  // A rejected promise that outlives its request is thrown again in the next one. That is a new error.
  if (known && (!request || request.digests.includes(known))) return known;
  // A Flight error that was decoded for server rendering is a copy, and carries the digest of the original.
  const carried = readDigest(thrown);
  if (carried && request?.digests.includes(carried)) return carried;

  const digest = mintDigest();
  if (typeof thrown === 'object' && thrown !== null) knownDigests.set(thrown, digest);
  request?.digests.push(digest);
  if (import.meta.env.DEV) rememberCause(digest, thrown);
  const context = { digest, time: Date.now(), phase, request, componentStack: info.componentStack ?? undefined };
  const kept = Promise.withResolvers<void>();
  holdDigest(digest, kept.promise);
  const delivery = nextTurn().then(() => deliver(thrown, context, kept.resolve));
  deliveries.add(delivery);
  void delivery.finally(() => deliveries.delete(delivery));
  return digest;
}

/** Where in the project's own code it was thrown. */
function nameSource({ frames }: Understanding): string | undefined {
  const [thrownAt] = frames.filter(({ inApp }) => inApp);
  return thrownAt?.source && `${thrownAt.source}:${thrownAt.line}`;
}

/** V8's text begins with name and message. What is thrown and is no Error has no stack. */
function formatCause({ name, message, stack }: Described): string {
  return stack === '' ? `${name}: ${message}` : stack;
}

function logRecord(record: RawErrorRecord, understanding: Understanding | undefined): void {
  writeLog('error', 'server-error', {
    digest: record.digest,
    fingerprint: understanding?.fingerprint,
    source: understanding && nameSource(understanding),
    phase: record.phase,
    kind: record.kind,
    route: record.path,
    requestId: record.requestId,
    traceId: record.traceId,
    name: record.name,
    message: record.message,
    stack: record.stack,
    causes: record.causes.length > 0 ? record.causes.map(formatCause) : undefined,
  });
}

/**
 * Nobody catches an exception of `run`: it would end the process because of an error that a page has survived. So a
 * failure is logged as one line under the same digest, and the next sink is still called.
 */
async function guard(digest: string, step: string, run: () => void | Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    writeLog('error', 'error-not-recorded', { digest, step, reason: inspectValue(error) });
  }
}

/**
 * The error's own line was logged before its map was read. A second line gives the fault's fingerprint, under the same
 * digest.
 */
function understandLate(described: Described, { digest, causes }: RawErrorRecord): Understanding {
  const understanding = understandError(described, causes);
  const source = nameSource(understanding);
  writeLog('error', 'server-error-source', { digest, fingerprint: understanding.fingerprint, source });
  return understanding;
}

/** @param onKept called when every sink that keeps errors has kept this one, or cannot */
async function deliver(thrown: unknown, context: ErrorContext, onKept: () => void): Promise<void> {
  const { digest, request } = context;
  await guard(digest, 'record', async () => {
    const described = describeThrown(thrown);
    const record = createRawRecord(thrown, described, context);
    const understanding = isUnderstoodAtOnce(described, record.causes)
      ? understandError(described, record.causes)
      : undefined;
    logRecord(record, understanding);
    const breadcrumbs = request ? listBreadcrumbs(request) : [];
    const toKeep = { record, understanding, breadcrumbs };
    await Promise.all(Array.from(sinks, (sink) => guard(digest, 'keep', () => sink.keep?.(toKeep))));
    onKept();
    // One turn later, so that the bytes that waited for the sinks are sent first.
    await nextTurn();
    const whole = { ...record, ...(understanding ?? understandLate(described, record)) };
    await Promise.all(
      Array.from(sinks, (sink) => guard(digest, 'complete', () => sink.complete(whole, thrown, breadcrumbs))),
    );
  });
  onKept();
}
