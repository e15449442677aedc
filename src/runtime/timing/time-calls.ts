import { AsyncLocalStorage } from 'node:async_hooks';

import { currentRequest } from '#src/server/http/request-context.ts';

import {
  findCallLog,
  leastMs,
  logCall,
  logWait,
  nextId,
  type CallLog,
  type TimedCall,
  type TimedFunction,
} from './call-log.ts';

/**
 * What the app's timed functions call (time-source.ts puts the calls there). While nothing is recorded each is a look at one variable.
 *
 * A function's call is the current one while it runs, and not while it waits: whoever called it then goes on, and would otherwise seem
 * to run in it. `AsyncLocalStorage` could run a function of its own for that, which would be another frame in each stack, and another
 * promise than the app's. So the call is entered, left before the first `await`, and entered again after it. From then on nobody else
 * runs in that context.
 *
 * Most components wait for nothing, and there are hundreds in a page. A variable is enough for those, and costs a fifth: only what they
 * begin, and goes on later by itself, is not known to be theirs.
 */
type Stored = TimedCall | 'untimed' | undefined;
type State = { readonly storage: AsyncLocalStorage<Stored>; running: TimedCall | undefined };

declare global {
  var __FLIGHT_TIMED_CALLS__: State | undefined;
}

const state = (globalThis.__FLIGHT_TIMED_CALLS__ ??= { storage: new AsyncLocalStorage<Stored>(), running: undefined });

type Current = { readonly log: CallLog; readonly call: TimedCall | undefined };

/** Where to log what happens now; undefined outside of a recorded request. */
export function findCurrentCall(): Current | undefined {
  const log = findCallLog(currentRequest());
  if (!log || log.isClosed) return undefined;
  const call = state.running ?? state.storage.getStore();
  if (call === 'untimed') return undefined;
  // A connection may have been opened for an earlier request, and keeps that one's context.
  return { log, call: call?.log === log ? call : undefined };
}

/** What Flight Recorder itself asks while the app answers is nothing that the app did. */
export function runUntimed<T>(run: () => T): T {
  return state.storage.run('untimed', run);
}

function create(timed: TimedFunction, { log, call: outer }: Current): TimedCall {
  const from = performance.now();
  return {
    log,
    timed,
    id: 0,
    outer,
    before: state.running,
    from,
    wait: -1,
    waitFrom: 0,
    hasWaited: false,
    isTold: false,
  };
}

/** Of a function that is not `async`. */
export function beginRun(timed: TimedFunction): TimedCall | undefined {
  const current = findCurrentCall();
  if (!current) return undefined;
  const call = create(timed, current);
  state.running = call;
  return call;
}

export function endRun(call: TimedCall | undefined): void {
  if (!call) return;
  state.running = call.before;
  const until = performance.now();
  if (call.isTold || until - call.from >= leastMs) logCall(call, until);
}

/** Of an `async` function. */
export function beginCall(timed: TimedFunction): TimedCall | undefined {
  const current = findCurrentCall();
  if (!current) return undefined;
  const call = create(timed, current);
  nextId(call);
  state.running = undefined;
  state.storage.enterWith(call);
  return call;
}

/** Whoever called it goes on. */
function giveBack(call: TimedCall): void {
  state.running = call.before;
  state.storage.enterWith(call.outer);
}

/** Right before an `await`. @param wait which of the function's @returns `value` itself */
export function leaveCall<T>(call: TimedCall | undefined, wait: number, value: T): T {
  if (!call) return value;
  call.wait = wait;
  call.waitFrom = performance.now();
  if (!call.hasWaited) {
    call.log.open.add(call);
    giveBack(call);
  }
  return value;
}

/** Right after it, with what it gave; also where an error is caught, since that may have come out of an `await`. */
export function enterCall<T>(call: TimedCall | undefined, value: T): T {
  if (!call || call.wait < 0) return value;
  logWait(call, performance.now());
  if (!call.hasWaited) {
    call.hasWaited = true;
    state.storage.enterWith(call);
  }
  return value;
}

export function endCall(call: TimedCall | undefined): void {
  if (!call) return;
  const until = performance.now();
  const isBack = call.hasWaited || call.wait >= 0;
  if (call.wait >= 0) logWait(call, until);
  call.log.open.delete(call);
  if (call.isTold || until - call.from >= leastMs) logCall(call, until);
  if (!isBack) giveBack(call);
}
