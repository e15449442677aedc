import 'server-only';

import path from 'node:path';
import { inspect } from 'node:util';

import { isPageDataError } from '../page-data/page-data-error.ts';
import type { ErrorPhase, RequestContext, RequestKind } from '#src/server/http/request-context.ts';
import { computeGrouping } from './fingerprint.ts';
import type { Grouping } from './grouping.ts';
import { areMapsRead, resolveFrames, type CodeOrigin, type SourceFrame } from './source-maps.ts';
import type { Breadcrumb } from '#report/breadcrumb.ts';
import { parseStack } from '#report/stack.ts';
import { stripTerminalCodes } from '#report/strip-terminal-codes.ts';

/**
 * A server error as it was thrown. Making this record takes microseconds, so it is complete even when the process dies
 * soon after.
 */
export type RawErrorRecord = {
  readonly digest: string;
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
  /** React's component stack, for errors in client components rendered on the server. */
  readonly componentStack: string | undefined;
  /** `error.cause`, outermost first. */
  readonly causes: readonly { readonly name: string; readonly message: string; readonly stack: string }[];
};

/**
 * What source maps say about it. The first error of a bundle reads the bundle's map, which takes up to a tenth of a
 * second.
 */
export type Understanding = {
  readonly fingerprint: string;
  readonly grouping: Grouping;
  readonly frames: readonly SourceFrame[];
};

export type ServerErrorRecord = RawErrorRecord & Understanding;

/** An error for the sinks that keep it. */
export type ErrorToKeep = {
  readonly record: RawErrorRecord;
  /** Undefined while a source map has to be read for it. */
  readonly understanding: Understanding | undefined;
  /** What the request did before it, oldest first. */
  readonly breadcrumbs: readonly Breadcrumb[];
};

export type ErrorContext = {
  readonly digest: string;
  readonly time: number;
  readonly phase: ErrorPhase;
  readonly request: RequestContext | undefined;
  readonly componentStack: string | undefined;
};

/** A chain of causes can be circular. */
const causesKept = 5;
const textLimit = 16_384;
const nameLimit = 200;

export type Described = { readonly name: string; readonly message: string; readonly stack: string };

/**
 * Describes any thrown value, without running the value's own code for long. The text is short: the value may be an
 * upstream's whole answer.
 */
export function inspectValue(value: unknown): string {
  return inspect(value, {
    depth: 3,
    maxArrayLength: 20,
    maxStringLength: 2_000,
    breakLength: 120,
    customInspect: false,
  });
}

/** A property that should be text. Some errors have an object as `message`, or a getter that throws. */
function readText(error: Error, key: 'name' | 'message' | 'stack'): string {
  try {
    const value: unknown = error[key];
    return typeof value === 'string' ? value : value === undefined ? '' : inspectValue(value);
  } catch {
    return `(its ${key} cannot be read)`;
  }
}

export function describeThrown(thrown: unknown): Described {
  if (thrown instanceof Error) {
    const [name, message, stack] = [readText(thrown, 'name'), readText(thrown, 'message'), readText(thrown, 'stack')];
    return { name: stripTerminalCodes(name), message: stripTerminalCodes(message), stack: stripTerminalCodes(stack) };
  }
  return {
    name: `thrown ${typeof thrown}`,
    message: stripTerminalCodes(typeof thrown === 'string' ? thrown : inspectValue(thrown)),
    stack: '',
  };
}

function cutTexts({ name, message, stack }: Described): Described {
  return { name: name.slice(0, nameLimit), message: message.slice(0, textLimit), stack: stack.slice(0, textLimit) };
}

/** `error.cause` and what caused that, outermost first. */
export function listCauses(thrown: unknown): Described[] {
  const causes: Described[] = [];
  let current = thrown instanceof Error ? thrown.cause : undefined;
  while (current !== undefined && causes.length < causesKept) {
    causes.push(cutTexts(describeThrown(current)));
    current = current instanceof Error ? current.cause : undefined;
  }
  return causes;
}

/** @param described the name, message and stack of `thrown`, uncut; a record holds only the beginning of long texts */
export function createRawRecord(
  thrown: unknown,
  described: Described,
  { digest, time, phase, request, componentStack }: ErrorContext,
): RawErrorRecord {
  return {
    digest,
    time,
    phase: isPageDataError(thrown) ? 'page-data' : phase,
    kind: request?.kind ?? 'background',
    method: request?.method ?? '',
    path: request?.path ?? '',
    requestId: request?.id ?? '',
    traceId: request?.traceId ?? '',
    release: import.meta.env.WAKU_BUILD_ID ?? '',
    ...cutTexts(described),
    componentStack: componentStack?.slice(0, textLimit),
    causes: listCauses(thrown),
  };
}

function findCode(): CodeOrigin {
  if (!import.meta.env.PROD) return { type: 'sources' };
  // This module is in one of the server's bundles, wherever `dist` was put.
  let folder = import.meta.dirname;
  while (path.basename(folder) !== 'server' && path.dirname(folder) !== folder) folder = path.dirname(folder);
  return { type: 'built', folder };
}

const codeOrigin = findCode();

/** Whether `understandError` takes only microseconds for this one, because no map has to be read. */
export function isUnderstoodAtOnce(described: Described, causes: readonly Described[]): boolean {
  return [described, ...causes].every(({ stack, message }) => areMapsRead(parseStack(stack, message), codeOrigin));
}

/**
 * A stack is text, and a visitor may have written a part of it. A position that a map cannot handle must not lose the
 * error's record.
 */
export function readFrames({ stack, message }: Described): readonly SourceFrame[] {
  const frames = parseStack(stack, message);
  try {
    return resolveFrames(frames, process.cwd(), codeOrigin);
  } catch {
    // The frames stay as they are: with the bundle's names and lines.
    return frames.map((frame) => ({ ...frame, inApp: false }));
  }
}

/**
 * Where in the sources it was thrown, and to which fault it belongs. Never throws.
 * @param causes outermost first
 */
export function understandError(described: Described, causes: readonly Described[]): Understanding {
  const frames = readFrames(described);
  const inner = causes.map((cause) => ({ ...cause, frames: readFrames(cause) }));
  const grouping = computeGrouping({ ...cutTexts(described), frames, causes: inner });
  return { frames, grouping, fingerprint: grouping.fingerprint };
}
