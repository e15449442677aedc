import 'server-only';

import path from 'node:path';
import { inspect, stripVTControlCharacters } from 'node:util';

import { currentRequest, type ErrorPhase, type RequestContext, type RequestKind } from '../request-context.ts';
import { writeLog } from '../log.ts';
import { isPageDataError } from '../page-data/page-data-error.ts';
import { rememberCause } from './dev-causes.ts';
import { mintDigest, readDigest } from './digest.ts';
import { computeFingerprint } from './fingerprint.ts';
import { resolveFrames, type CodeOrigin, type SourceFrame } from './source-maps.ts';
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
const nameLimit = 200;

const sinks = new Set<ErrorSink>();
/** An error object passes here more than once: Flight reports it, then Fizz does when the decoded copy throws again. */
const knownDigests = new WeakMap<object, string>();

export function addErrorSink(sink: ErrorSink): () => void {
  sinks.add(sink);
  return () => sinks.delete(sink);
}

function readRawDigest(thrown: unknown): string | undefined {
  return typeof thrown === 'object' && thrown !== null && 'digest' in thrown && typeof thrown.digest === 'string'
    ? thrown.digest
    : undefined;
}

export function isControlFlow(error: unknown): boolean {
  return readRawDigest(error)?.startsWith(wakuControlPrefix) ?? false;
}

type Described = { readonly name: string; readonly message: string; readonly stack: string };

/** Whatever somebody throws, looked at without running any of its code for long: it may be an upstream's whole answer. */
function inspectValue(value: unknown): string {
  return inspect(value, {
    depth: 3,
    maxArrayLength: 20,
    maxStringLength: 2_000,
    breakLength: 120,
    customInspect: false,
  });
}

/** A property that should be text. People put objects into `message`, and getters that throw. */
function readText(error: Error, key: 'name' | 'message' | 'stack'): string {
  try {
    const value: unknown = error[key];
    return typeof value === 'string' ? value : value === undefined ? '' : inspectValue(value);
  } catch {
    return `(its ${key} cannot be read)`;
  }
}

/** Bundlers and test tools colour their messages for a terminal; in a record the codes are noise. */
function toPlain(text: string): string {
  return text.includes('\u001b') || text.includes('\u009b') ? stripVTControlCharacters(text) : text;
}

function describeThrown(thrown: unknown): Described {
  if (thrown instanceof Error) {
    const [name, message, stack] = [readText(thrown, 'name'), readText(thrown, 'message'), readText(thrown, 'stack')];
    return { name: toPlain(name), message: toPlain(message), stack: toPlain(stack) };
  }
  return {
    name: `thrown ${typeof thrown}`,
    message: toPlain(typeof thrown === 'string' ? thrown : inspectValue(thrown)),
    stack: '',
  };
}

function cutTexts({ name, message, stack }: Described): Described {
  return { name: name.slice(0, nameLimit), message: message.slice(0, textLimit), stack: stack.slice(0, textLimit) };
}

function listCauses(thrown: unknown): Described[] {
  const causes: Described[] = [];
  let current = thrown instanceof Error ? thrown.cause : undefined;
  while (current !== undefined && causes.length < causesKept) {
    causes.push(cutTexts(describeThrown(current)));
    current = current instanceof Error ? current.cause : undefined;
  }
  return causes;
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
  if (isControlFlow(thrown)) return readRawDigest(thrown);
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
  const time = Date.now();
  const occurrence = { digest, time, phase, request, componentStack: info.componentStack ?? undefined };
  setImmediate(() => deliver(thrown, occurrence));
  return digest;
}

type Occurrence = {
  readonly digest: string;
  readonly time: number;
  readonly phase: ErrorPhase;
  readonly request: RequestContext | undefined;
  readonly componentStack: string | undefined;
};

function findCode(): CodeOrigin {
  if (!import.meta.env.PROD) return { type: 'sources' };
  // This module is in one of the server's bundles, wherever `dist` was put.
  let folder = import.meta.dirname;
  while (path.basename(folder) !== 'server' && path.dirname(folder) !== folder) folder = path.dirname(folder);
  return { type: 'built', folder };
}

const codeOrigin = findCode();

function createRecord(thrown: unknown, occurrence: Occurrence): ServerErrorRecord {
  const { digest, time, phase, request, componentStack } = occurrence;
  const described = describeThrown(thrown);
  const frames = resolveFrames(parseStack(described.stack, described.message), process.cwd(), codeOrigin);
  const texts = cutTexts(described);
  return {
    digest,
    fingerprint: computeFingerprint({ ...texts, frames }),
    time,
    phase: isPageDataError(thrown) ? 'page-data' : phase,
    kind: request?.kind ?? 'background',
    method: request?.method ?? '',
    path: request?.path ?? '',
    requestId: request?.id ?? '',
    traceId: request?.traceId ?? '',
    release: import.meta.env.WAKU_BUILD_ID ?? '',
    ...texts,
    frames,
    componentStack,
    causes: listCauses(thrown),
  };
}

function logRecord(record: ServerErrorRecord): void {
  writeLog('error', 'server-error', {
    digest: record.digest,
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
}

/**
 * Runs with nobody above it: an exception here would end the process over an error that a page has survived. What fails
 * is therefore one line under the same digest, and the next sink still gets its turn.
 */
function deliver(thrown: unknown, occurrence: Occurrence): void {
  function guard(step: string, run: () => void): void {
    try {
      run();
    } catch (error) {
      writeLog('error', 'error-not-recorded', { digest: occurrence.digest, step, reason: inspectValue(error) });
    }
  }
  guard('record', () => {
    const record = createRecord(thrown, occurrence);
    logRecord(record);
    for (const sink of sinks) guard('sink', () => sink(record, thrown, occurrence.request));
  });
}
