import type { RequestContext } from '#src/server/http/request-context.ts';

/**
 * What the server did for one request: its components, server functions, what they waited for, and the requests that were sent
 * meanwhile. Names and times alone; no argument, no result. It is kept in the request's context, where the timed code finds it.
 */
export type TimedFunction = {
  readonly kind: 'component' | 'function';
  readonly name: string;
  /** From the app's folder. */
  readonly file: string;
  readonly line: number;
  /** In the order of the source: what is awaited, on which line, and whether it uses what an earlier one gave. */
  readonly awaits: readonly (readonly [name: string, line: number, uses: boolean])[];
};

export type LoggedCall = {
  /** In this request, from 1 on. */
  readonly id: number;
  /** 0: the request itself. */
  readonly parent: number;
  readonly kind: TimedFunction['kind'] | 'wait' | 'client';
  name: string;
  /** `src/pages/cart.tsx:12`; undefined for a request. */
  readonly place: string | undefined;
  /** Milliseconds since the process started. */
  readonly from: number;
  /** Undefined while it goes on. */
  until: number | undefined;
  hasFailed: boolean;
  /** Of a wait: what it waited for uses nothing that an earlier one gave. */
  readonly isFree: boolean;
};

/** A call of a timed function. */
export type TimedCall = {
  readonly log: CallLog;
  readonly timed: TimedFunction;
  /** 0: nothing has needed it yet. */
  id: number;
  /** In whose synchronous part it was called. */
  readonly outer: TimedCall | undefined;
  /** What ran when it was called, and was not `async`. */
  readonly before: TimedCall | undefined;
  readonly from: number;
  /** Which of its awaits it is in; -1: none. */
  wait: number;
  waitFrom: number;
  /** It has gone on after an await. */
  hasWaited: boolean;
  /** It is told even if it is short: it holds something that is. */
  isTold: boolean;
};

export type CallLog = {
  readonly calls: LoggedCall[];
  /** Calls that have waited, and have not ended. */
  readonly open: Set<TimedCall>;
  lastId: number;
  isClosed: boolean;
};

/** What a page reads of a flight's spans (for-operator/read-spans.ts), so more would never be shown. */
const mostCalls = 5_000;
/** Nobody waits for what is shorter, and most components are: they would be nearly all that is kept. */
export const leastMs = 1;

/** For everybody in this process: the recorder of another app is a bundle of its own. */
const logKey = Symbol.for('flight-recorder.calls');
type TimedRequest = RequestContext & { [logKey]?: CallLog };

/** From now on the request's calls are logged. */
export function openCallLog(request: TimedRequest): CallLog {
  const log = { calls: [], open: new Set<TimedCall>(), lastId: 0, isClosed: false };
  request[logKey] = log;
  return log;
}

export function findCallLog(request: TimedRequest | undefined): CallLog | undefined {
  return request?.[logKey];
}

export function addCall(log: CallLog, call: LoggedCall): void {
  if (!log.isClosed && log.calls.length < mostCalls) log.calls.push(call);
}

/** Most calls are told to nobody, and need none. */
export function nextId(call: TimedCall): number {
  if (call.id > 0) return call.id;
  call.log.lastId += 1;
  call.id = call.log.lastId;
  return call.id;
}

/** @returns the id of what holds another call */
export function holdCall(outer: TimedCall | undefined): number {
  if (!outer) return 0;
  outer.isTold = true;
  return nextId(outer);
}

export function logCall(call: TimedCall, until: number | undefined): void {
  const { log, timed, outer, from } = call;
  const { kind, name, file, line } = timed;
  const [id, parent] = [nextId(call), holdCall(outer)];
  const place = `${file}:${line}`;
  addCall(log, { id, parent, kind, name, place, from, until, hasFailed: false, isFree: false });
}

export function logWait(call: TimedCall, until: number | undefined): void {
  const { log, timed, wait, waitFrom } = call;
  const [name = '', line = 0, uses = true] = timed.awaits[wait] ?? [];
  call.wait = -1;
  if (until !== undefined && until - waitFrom < leastMs) return;
  const parent = holdCall(call);
  log.lastId += 1;
  const place = `${timed.file}:${line}`;
  const rest = { until, hasFailed: false, isFree: !uses };
  addCall(log, { id: log.lastId, parent, kind: 'wait', name, place, from: waitFrom, ...rest });
}

/** The request was answered: what still goes on is told as it is, and nothing more is logged. @returns all that was logged */
export function closeCallLog(log: CallLog): readonly LoggedCall[] {
  for (const call of log.open) {
    if (call.wait >= 0) logWait(call, undefined);
    logCall(call, undefined);
  }
  log.isClosed = true;
  log.open.clear();
  // Long-lived things that a request has opened, as connections, keep its context.
  return log.calls.splice(0);
}
