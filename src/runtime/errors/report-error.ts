import 'server-only';

import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';

import { currentRequest, type ErrorPhase, type RequestContext } from '#src/http/request-context.ts';
import { writeLog } from '#src/http/log.ts';
import { readControl } from '../control-errors.ts';
import { rememberCause } from './dev-causes.ts';
import { mintDigest, readDigest } from './digest.ts';
import {
  createRawRecord,
  describeThrown,
  inspectValue,
  isUnderstoodAtOnce,
  understandError,
  type Described,
  type ErrorToKeep,
  type Occurrence,
  type RawErrorRecord,
  type ServerErrorRecord,
  type Understanding,
} from './error-record.ts';
import { listBreadcrumbs } from '../reporting/breadcrumbs.ts';
import { holdDigest } from './kept-digests.ts';

/**
 * The one place where a server error gets its digest. The digest is minted at once, because React puts it into the
 * response. One turn of the event loop later the record is made, logged and handed to the sinks, and the bytes that carry
 * the digest wait until the sinks have it. What needs time, reading a bundle's source map, comes after that.
 */
export type ErrorSink = {
  /**
   * Called first. The digest is held back until the promise settles: it must settle within a bounded time.
   */
  readonly keep?: (error: ErrorToKeep) => Promise<void>;
  /** Called once for every error, when all is known and the digest is out. `error` is what was thrown. */
  readonly complete: (
    record: ServerErrorRecord,
    error: unknown,
    breadcrumbs: ErrorToKeep['breadcrumbs'],
  ) => void | Promise<void>;
};

const sinks = new Set<ErrorSink>();
/** Errors on their way to the sinks, until each has completed them. */
const deliveries = new Set<Promise<void>>();
/** An error object passes here more than once: Flight reports it, then Fizz does when the decoded copy throws again. */
const knownDigests = new WeakMap<object, string>();

/** Longer than an error may wait for the disk. A process that ends does not wait for a disk that stands still. */
const settleMs = 2_000;

/** Resolves when every error that was reported before has been kept and completed, or after two seconds. */
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
 * A visitor who left takes the rendering with them, and what fails in it then is nobody's loss. An action goes on: it
 * changes data, and half of a change is what an operator must see. So does what nobody caught.
 */
function isNoLoss(thrown: unknown, phase: ErrorPhase, signal: AbortSignal): boolean {
  const isAbort = thrown === signal.reason || (thrown instanceof Error && thrown.name === 'AbortError');
  return isAbort || (phase !== 'action' && phase !== 'process');
}

/**
 * Gives `thrown` a digest and records it.
 * @returns the digest for the response; Waku's own for control flow; undefined when nobody is there to be told
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
  // A rejected promise that outlives its request is thrown again in the next one: that is a new occurrence.
  if (known && (!request || request.digests.includes(known))) return known;
  // A Flight error decoded for server rendering is a copy of the original and carries the digest minted for it.
  const carried = readDigest(thrown);
  if (carried && request?.digests.includes(carried)) return carried;

  const digest = mintDigest();
  if (typeof thrown === 'object' && thrown !== null) knownDigests.set(thrown, digest);
  request?.digests.push(digest);
  if (import.meta.env.DEV) rememberCause(digest, thrown);
  const occurrence = { digest, time: Date.now(), phase, request, componentStack: info.componentStack ?? undefined };
  const kept = Promise.withResolvers<void>();
  holdDigest(digest, kept.promise);
  const delivery = nextTurn().then(() => deliver(thrown, occurrence, kept.resolve));
  deliveries.add(delivery);
  void delivery.finally(() => deliveries.delete(delivery));
  return digest;
}

function logRecord(record: RawErrorRecord, understanding: Understanding | undefined): void {
  writeLog('error', 'server-error', {
    digest: record.digest,
    fingerprint: understanding?.fingerprint,
    phase: record.phase,
    kind: record.kind,
    route: record.path,
    requestId: record.requestId,
    traceId: record.traceId,
    name: record.name,
    message: record.message,
    stack: record.stack,
  });
}

/**
 * Runs with nobody above it: an exception here would end the process over an error that a page has survived. What fails
 * is therefore one line under the same digest, and the next sink still gets its turn.
 */
async function guard(digest: string, step: string, run: () => void | Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    writeLog('error', 'error-not-recorded', { digest, step, reason: inspectValue(error) });
  }
}

/** The error's own line was written before its map was read: a second one names the fault, under the same digest. */
function understandLate(digest: string, described: Described): Understanding {
  const understanding = understandError(described);
  const [thrownAt] = understanding.frames.filter(({ inApp }) => inApp);
  const source = thrownAt?.source && `${thrownAt.source}:${thrownAt.line}`;
  writeLog('error', 'server-error-source', { digest, fingerprint: understanding.fingerprint, source });
  return understanding;
}

/** @param onKept called when every sink that keeps it has it, or cannot */
async function deliver(thrown: unknown, occurrence: Occurrence, onKept: () => void): Promise<void> {
  const { digest, request } = occurrence;
  await guard(digest, 'record', async () => {
    const described = describeThrown(thrown);
    const record = createRawRecord(thrown, described, occurrence);
    const understanding = isUnderstoodAtOnce(described) ? understandError(described) : undefined;
    logRecord(record, understanding);
    const breadcrumbs = request ? listBreadcrumbs(request) : [];
    const toKeep = { record, understanding, breadcrumbs };
    await Promise.all(Array.from(sinks, (sink) => guard(digest, 'keep', () => sink.keep?.(toKeep))));
    onKept();
    // A turn later: what waited for the sinks is sent first.
    await nextTurn();
    const whole = { ...record, ...(understanding ?? understandLate(digest, described)) };
    await Promise.all(
      Array.from(sinks, (sink) => guard(digest, 'complete', () => sink.complete(whole, thrown, breadcrumbs))),
    );
  });
  onKept();
}
