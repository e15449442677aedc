import { isControlFlow } from '../sender/control-flow.ts';
import { copyBreadcrumbs, describeAddress, noteMissingFile } from './breadcrumbs.ts';
import type { BrowserError, Sender } from './browser-error.ts';
import { deliver } from './deliver-reports.ts';
import { describeEvent } from './describe-event.ts';
import type { HydrationWatch } from './hydration-watch.ts';
import { readAddress } from './kept-reports.ts';
import { createPace } from './pace.ts';
import { watchReactRoots } from './react-roots.ts';
import type { LoadSecondPart, SecondPart } from './second-part.ts';
import { writeEnvelope } from './write-envelope.ts';

/**
 * What goes wrong in a page, without its app's help: what nobody caught, what an error boundary caught, which React writes to the console
 * with its digest, and what a content security policy kept from running.
 */
declare global {
  /**
   * A script at the very beginning of a page may keep what happens before this one is loaded: events of errors, and lines of the
   * console. Afterwards they go on through it.
   */
  // oxlint-disable-next-line no-var
  var __flightErrors: Early[] | { readonly push: (early: Early) => unknown } | undefined;
}

type Early =
  | Event
  | { readonly args: readonly unknown[] }
  /** With what had changed in the page in the task of the event. */
  | { readonly event: Event; readonly records: readonly MutationRecord[] };
type Mechanism = BrowserError['mechanism'];
type More = BrowserError['more'];

type Moment = {
  /** Milliseconds since 1970. */
  readonly time?: number;
  readonly componentStack?: string | undefined;
  readonly records?: readonly MutationRecord[];
};

const eventTypes = ['error', 'unhandledrejection', 'securitypolicyviolation'] as const;
/** One page breaks its policy in many places. */
const violationsReported = 5;
/** A browser's note that one more frame is needed: nothing fails. */
const noise = /^ResizeObserver loop/;

/** A value that is no object has no identity: within one task the same one is the same error. */
function createMemory(): (error: unknown) => boolean {
  const seen = new WeakSet<object>();
  let latest: unknown;
  return function isNew(error) {
    if (typeof error === 'object' && error !== null) {
      if (seen.has(error)) return false;
      seen.add(error);
      return true;
    }
    if (error === latest) return false;
    latest = error;
    setTimeout(() => (latest = undefined));
    return true;
  };
}

/**
 * A boundary that showed an error of the server is told of once more, as recovered, when the page is left before React has tried it again.
 * @returns whether an error with this digest was told before in this document
 */
function createDigestMemory(): (error: unknown) => boolean {
  const told = new Set<unknown>();
  return function isTold(error) {
    const digest = typeof error === 'object' && error !== null && 'digest' in error && error.digest;
    return !!digest && (told.has(digest) || !told.add(digest));
  };
}

/** In development React's client writes what the server wrote to its console, with the server's name as a badge. The server tells it. */
function isReplayed([format, , badge]: readonly unknown[]): boolean {
  return (
    typeof format === 'string' && format.startsWith('%c%s%c') && typeof badge === 'string' && /^ \S+ $/.test(badge)
  );
}

/** React's client says the first where an answer ended in order and lacks rows; browsers the others, where it was broken off. */
const brokenStream = /^(?:Connection closed\.|network error|Error in input stream|Load failed)$/;

function isBrokenStream(error: unknown): boolean {
  return error instanceof Error && brokenStream.test(error.message);
}

function describeViolation(event: SecurityPolicyViolationEvent): Error {
  const { effectiveDirective, blockedURI, disposition, sourceFile, lineNumber, columnNumber } = event;
  const blocked = URL.canParse(blockedURI) ? describeAddress(blockedURI) : blockedURI;
  const verb = disposition === 'report' ? 'would block' : 'blocks';
  const error = new Error(`${effectiveDirective} ${verb} ${blocked}`);
  error.name = 'ContentSecurityPolicyViolation';
  error.stack = sourceFile ? `    at ${sourceFile}:${lineNumber}:${columnNumber}` : '';
  return error;
}

/** What a runtime inside the app knows of an error, and this module cannot. */
export type ErrorRules = {
  /** It is dealt with elsewhere, and not reported. */
  readonly isExpected: (error: unknown, mechanism: BrowserError['mechanism']) => boolean;
  readonly identify: (error: unknown) => BrowserError['identity'];
};

export type ErrorReporter = {
  /** Sends what waits for something to be found out. The document may end. */
  readonly hurry: () => void;
  /** Takes what has happened, and listens from now on. */
  readonly begin: () => void;
  /** Of each line that the page writes to the console as an error. */
  readonly takeConsole: (args: readonly unknown[]) => void;
};

type ReporterOptions = {
  readonly remembers: boolean;
  readonly rules: ErrorRules;
  readonly hydration: HydrationWatch;
  readonly loadSecondPart: LoadSecondPart;
  readonly readAddress: (error: unknown) => string;
};

export function createErrorReporter(
  sender: Sender,
  { remembers, rules, hydration, loadSecondPart, readAddress: readAddressOf }: ReporterOptions,
): ErrorReporter {
  const isNew = createMemory();
  const isTold = createDigestMemory();
  const waiting = new Set<() => void>();
  const takePlace = createPace(remembers);
  let violations = 0;

  function report(
    error: unknown,
    mechanism: Mechanism,
    { time = Date.now(), componentStack, records }: Moment = {},
  ): void {
    if (isControlFlow(error) || rules.isExpected(error, mechanism) || !isNew(error)) return;
    if (isTold(error) && mechanism === 'recoverable') return;
    const { timeOrigin } = performance;
    try {
      const replaced = hydration.takeReplaced(error, records);
      if (replaced === 'told' || !takePlace(time)) return;
      const identity = rules.identify(error);
      const url = location.origin + describeAddress(readAddressOf(error));
      const breadcrumbs = copyBreadcrumbs();
      const told = { error: describeEvent(error), identity, time, mechanism, componentStack, url, breadcrumbs };
      if (replaced.length > 0) void sendWith(told, (second) => second.addMismatch(replaced));
      else if (isBrokenStream(error)) void sendWith(told, (second) => second.addStream(time - timeOrigin));
      else deliver(writeEnvelope(told, sender));
    } catch {
      // The thrown value cannot be made into text.
    }
  }

  /** With what the second part finds out; without it where that is gone, or the document ends before. */
  async function sendWith(told: BrowserError, find: (second: SecondPart) => More | Promise<More>): Promise<void> {
    const send = (more?: More) => {
      if (waiting.delete(sendNow)) deliver(writeEnvelope({ ...told, more }, sender));
    };
    const sendNow = () => send();
    waiting.add(sendNow);
    try {
      send(await find(await loadSecondPart()));
    } catch {
      sendNow();
    }
  }

  function takeConsole(args: readonly unknown[]): void {
    if (isReplayed(args)) return;
    const error = args.find((arg) => arg instanceof Error);
    if (error) report(error, 'console');
  }

  function takeViolation(event: SecurityPolicyViolationEvent, time: number): void {
    const isOwn = event.blockedURI.startsWith(new URL(readAddress(), location.href).href);
    if (isOwn || violations === violationsReported) return;
    violations += 1;
    report(describeViolation(event), 'policy', { time });
  }

  function take(early: Early): void {
    if ('args' in early) return takeConsole(early.args);
    const { event, records } = early instanceof Event ? { event: early, records: [] } : early;
    const time = performance.timeOrigin + event.timeStamp;
    if (event instanceof SecurityPolicyViolationEvent) return takeViolation(event, time);
    if (event instanceof PromiseRejectionEvent) return report(event.reason, 'promise', { time });
    if (!(event instanceof ErrorEvent)) return noteMissingFile(event.target, time);
    if (!noise.test(event.message)) report(event.error ?? event.message, 'window', { time, records });
  }

  return {
    begin() {
      const early = globalThis.__flightErrors;
      globalThis.__flightErrors = { push: take };
      if (Array.isArray(early)) for (const event of early) take(event);
      else for (const type of eventTypes) addEventListener(type, take, true);
      watchReactRoots((error, mechanism, componentStack) => report(error, mechanism, { componentStack }));
    },
    takeConsole,
    hurry() {
      for (const send of waiting) send();
    },
  };
}
