import 'server-only';

import { currentRequest, type ErrorPhase, type RequestContext, type RequestKind } from '../request-context.ts';
import { writeLog } from '../log.ts';
import { isPageDataError } from '../page-data/page-data-error.ts';
import { mintDigest, readDigest } from './digest.ts';
import { computeFingerprint } from './fingerprint.ts';
import { resolveFrames, type SourceFrame } from './source-maps.ts';
import { parseStack } from './stack.ts';

/**
 * The one place where a server error gets its digest. The digest is minted at once, because React puts it into the
 * response; the rest (source maps, fingerprint, log line, sink) happens after the current work, off the request path.
 * Between the two lies one turn of the event loop.
 */
export type ServerErrorRecord = {
  readonly digest: string;
  readonly fingerprint: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly phase: ErrorPhase;
  readonly kind: RequestKind | 'background';
  readonly method: string;
  readonly path: string;
  readonly requestId: string;
  readonly traceId: string;
  readonly release: string;
  readonly name: string;
  readonly message: string;
  /** V8's text, unmapped. */
  readonly stack: string;
  readonly frames: readonly SourceFrame[];
  /** React's component stack, for errors in client components rendered on the server. */
  readonly componentStack: string | undefined;
  /** `error.cause`, outermost first. */
  readonly causes: readonly { readonly name: string; readonly message: string; readonly stack: string }[];
};

/** Gets every server error once, after its digest went out. `error` is what was thrown. */
export type ErrorSink = (record: ServerErrorRecord, error: unknown, request: RequestContext | undefined) => void;

/** Waku's redirects and not-founds are thrown too. They are control flow: their digest is Waku's and must stay. */
const wakuControlPrefix = '__WAKU_CUSTOM_ERROR__;';
/** A chain of causes can be a cycle. */
const causesKept = 5;
const textLimit = 16_384;

const sinks = new Set<ErrorSink>();
/** An error object passes here more than once: Flight reports it, then Fizz does when the decoded copy throws again. */
const knownDigests = new WeakMap<object, string>();

export function addErrorSink(sink: ErrorSink): () => void {
  sinks.add(sink);
  return () => sinks.delete(sink);
}

export function isControlFlow(error: unknown): boolean {
  return (
    typeof error === 'object' &&
    error !== null &&
    'digest' in error &&
    typeof error.digest === 'string' &&
    error.digest.startsWith(wakuControlPrefix)
  );
}

type Described = { readonly name: string; readonly message: string; readonly stack: string };

function describeThrown(thrown: unknown): Described {
  if (thrown instanceof Error) {
    return {
      name: thrown.name,
      message: thrown.message.slice(0, textLimit),
      stack: (thrown.stack ?? '').slice(0, textLimit),
    };
  }
  const message = typeof thrown === 'string' ? thrown : safeJson(thrown);
  return { name: `thrown ${typeof thrown}`, message: message.slice(0, textLimit), stack: '' };
}

function safeJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    // A cycle, a BigInt or a throwing toJSON: the type is all that can be told of it.
    return Object.prototype.toString.call(value);
  }
}

function listCauses(thrown: unknown): Described[] {
  const causes: Described[] = [];
  let current = thrown instanceof Error ? thrown.cause : undefined;
  while (current !== undefined && causes.length < causesKept) {
    causes.push(describeThrown(current));
    current = current instanceof Error ? current.cause : undefined;
  }
  return causes;
}

/**
 * Gives `thrown` a digest and records it.
 * @returns the digest for the response; Waku's own for control flow; undefined when the request was aborted, because a
 * visitor who left is not an error.
 */
export function reportError(
  thrown: unknown,
  phase: ErrorPhase,
  info: { readonly componentStack?: string | null | undefined; readonly request?: RequestContext | undefined } = {},
): string | undefined {
  if (isControlFlow(thrown)) return readRawDigest(thrown);
  const request = info.request ?? currentRequest();
  if (request?.signal.aborted) return undefined;
  const known = typeof thrown === 'object' && thrown !== null ? knownDigests.get(thrown) : undefined;
  // A rejected promise that outlives its request is thrown again in the next one: that is a new occurrence.
  if (known && (!request || request.digests.includes(known))) return known;
  // A Flight error decoded for server rendering is a copy of the original and carries the digest minted for it.
  const carried = readDigest(thrown);
  if (carried && request?.digests.includes(carried)) return carried;

  const digest = mintDigest();
  if (typeof thrown === 'object' && thrown !== null) knownDigests.set(thrown, digest);
  request?.digests.push(digest);
  const time = Date.now();
  setImmediate(() => deliver(thrown, digest, time, phase, request, info.componentStack ?? undefined));
  return digest;
}

function readRawDigest(thrown: unknown): string | undefined {
  return typeof thrown === 'object' && thrown !== null && 'digest' in thrown && typeof thrown.digest === 'string'
    ? thrown.digest
    : undefined;
}

function deliver(
  thrown: unknown,
  digest: string,
  time: number,
  phase: ErrorPhase,
  request: RequestContext | undefined,
  componentStack: string | undefined,
): void {
  const described = describeThrown(thrown);
  const frames = resolveFrames(parseStack(described.stack), process.cwd());
  const record: ServerErrorRecord = {
    digest,
    fingerprint: computeFingerprint({ ...described, frames }),
    time,
    phase: isPageDataError(thrown) ? 'page-data' : phase,
    kind: request?.kind ?? 'background',
    method: request?.method ?? '',
    path: request?.path ?? '',
    requestId: request?.id ?? '',
    traceId: request?.traceId ?? '',
    release: import.meta.env.WAKU_BUILD_ID ?? '',
    ...described,
    frames,
    componentStack,
    causes: listCauses(thrown),
  };
  writeLog('error', 'server-error', {
    digest,
    fingerprint: record.fingerprint,
    phase: record.phase,
    kind: record.kind,
    route: record.path,
    requestId: record.requestId,
    traceId: record.traceId,
    name: record.name,
    message: record.message,
    stack: record.stack,
  });
  for (const sink of sinks) sink(record, thrown, request);
}
