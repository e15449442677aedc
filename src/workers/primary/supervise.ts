import type { LogFields, LogLevel } from '#src/http/log.ts';

import { renewed, type ToPrimary, type ToWorker } from '../messages.ts';
import type { WorkerCause } from '../this-worker.ts';
import { createAppointments } from './appointments.ts';
import { createDeathLimit } from './death-limit.ts';
import { createTurnQueue } from './turn-queue.ts';
import type { Ended, WorkerProcess } from './worker-process.ts';

/**
 * Keeps `count` workers running. Each has a seat, with a number; who sits there changes:
 *
 *     starting --ready--> serving --a newer one is ready, or all stop--> leaving --takes no connection--> refusing --ends--> gone
 *
 * - The first worker alone is started at first: it upgrades the database. The others are started when it is ready. If it ends before,
 *   so does the server, with its status: it has said why.
 * - A worker that ends by itself is replaced, within limits (death-limit.ts).
 * - `renew` replaces one after the other. A new one is ready before its predecessor is told to leave. If one does not get ready, the
 *   rest stays as it is.
 * - `stop` tells all to leave, and `onEnd` is called when the last one is gone.
 */
type Seated = {
  readonly process: WorkerProcess;
  readonly number: number;
  readonly cause: WorkerCause;
  state: 'starting' | 'serving' | 'leaving' | 'refusing';
};

export type Supervised = {
  readonly count: number;
  /** Forks one and calls back with what it says, until it has ended. */
  readonly fork: (onMessage: (message: ToPrimary) => void, onEnd: (ended: Ended) => void) => WorkerProcess;
  /** What a worker is told at first, besides who it is. */
  readonly hello: { readonly door: string; readonly wasStoppedCleanly: boolean };
  /** For messages that are not between workers. */
  readonly onMessage: (message: Extract<ToPrimary, { type: 'presence' | 'listening' }>) => void;
  readonly log: (level: LogLevel, event: string, fields: LogFields) => void;
  /** No worker is left. `isClean`: all have closed the database. */
  readonly onEnd: (end: { readonly status: number; readonly isClean: boolean }) => void;
};

export type Supervisor = {
  readonly stop: (reason: string) => void;
  /** Ends all workers at once. */
  readonly end: () => void;
  readonly renew: () => void;
};

/** A worker gives what is in flight 10 s, and then closes its store. */
const leaveLimitMs = 15_000;

export function supervise({ count, fork, hello, onMessage, log, onEnd }: Supervised): Supervisor {
  const seated = new Map<number, Seated>();
  const deaths = createDeathLimit(count);
  const turns = createTurnQueue((id) => tell(id, { type: 'turn' }));
  const appointments = createAppointments((id, name) => tell(id, { type: 'lease', name }));
  let stopping: { readonly reason: string; readonly status: number } | undefined;
  let toldStopping = false;
  let isClean = true;
  /** Numbers that are still to be renewed, the one that is being renewed first. */
  let renewing: readonly number[] = [];

  function tell(id: number, message: ToWorker): void {
    seated.get(id)?.process.tell(message);
  }

  function start(number: number, cause: WorkerCause): void {
    if (stopping) return;
    const process = fork(
      (message) => hear(process.id, message),
      (ended) => leave(process.id, ended),
    );
    seated.set(process.id, { process, number, cause, state: 'starting' });
    process.tell({ type: 'hello', number, count, cause, ...hello });
  }

  function dismiss(one: Seated, reason: string): void {
    const { process, state } = one;
    // One that starts answers nobody yet, and hears nothing.
    if (state === 'starting') return process.kill();
    one.state = 'leaving';
    process.tell({ type: 'stop', reason });
    setTimeout(() => {
      if (seated.has(process.id)) process.kill();
    }, leaveLimitMs).unref();
  }

  function findOthers({ process, number }: Seated): readonly Seated[] {
    return [...seated.values()].filter((other) => other.number === number && other.process !== process);
  }

  function noteReady(one: Seated): void {
    if (one.state !== 'starting') return;
    one.state = 'serving';
    log('info', 'worker-ready', { worker: one.number, pid: one.process.pid });
    if (one.cause === 'first') for (let number = 2; number <= count; number += 1) start(number, 'another');
    const before = findOthers(one);
    for (const other of before) if (other.state === 'serving') dismiss(other, renewed);
    if (before.length === 0) noteRenewed(one.number);
  }

  function renewNext(): void {
    const [number] = renewing;
    if (number !== undefined) start(number, 'replacement');
  }

  /** Its predecessor is gone. */
  function noteRenewed(number: number): void {
    if (renewing[0] !== number) return;
    renewing = renewing.slice(1);
    if (renewing.length === 0) log('info', 'workers-renewed', { workers: count });
    renewNext();
  }

  function hear(id: number, message: ToPrimary): void {
    const one = seated.get(id);
    if (!one) return;
    switch (message.type) {
      case 'ready':
        return noteReady(one);
      case 'presence':
      case 'listening':
        return onMessage(message);
      case 'refusing':
        one.state = 'refusing';
        return tellStopping();
      case 'turn-wanted':
        return turns.want(id);
      case 'turn-back':
        return turns.giveBack(id);
      case 'news':
        for (const other of seated.keys()) if (other !== id) tell(other, message);
        return;
      case 'lease-wanted':
        return appointments.want(id, message.name);
      case 'lease-back':
        return appointments.giveBack(id, message.name);
    }
  }

  /** Whoever reads the line may rely on it: who connects from then on is refused. */
  function tellStopping(): void {
    if (!stopping || toldStopping || [...seated.values()].some(({ state }) => state !== 'refusing')) return;
    toldStopping = true;
    for (const id of seated.keys()) tell(id, { type: 'all-refuse' });
    log('info', 'stopping', { signal: stopping.reason });
  }

  function endServer(reason: string, status: number): void {
    if (stopping) return;
    stopping = { reason, status };
    for (const one of seated.values()) dismiss(one, reason);
    for (const { process } of seated.values()) process.takePort();
    if (seated.size === 0) onEnd({ status, isClean });
  }

  /** It has ended, and nobody told it to. */
  function replace(one: Seated, { code, signal }: Ended): void {
    const { number, process, cause, state } = one;
    if (cause === 'first' && state === 'starting') return endServer('not-started', code || 1);
    log('error', 'worker-ended', { worker: number, pid: process.pid, code, signal });
    if (state === 'starting' && renewing[0] === number) {
      // What keeps one from getting ready will keep the next one, too.
      renewing = [];
      log('error', 'workers-not-renewed', { worker: number, reason: 'the new worker has ended before it was ready' });
    }
    // Its predecessor still serves, or its successor will.
    if (findOthers(one).length > 0) return;
    const pauseMs = deaths.note(performance.now());
    if (pauseMs !== undefined) return void setTimeout(start, pauseMs, number, 'replacement');
    log('error', 'workers-failing', { reason: 'workers end again and again; the lines before say why' });
    endServer('workers-failing', 1);
  }

  function leave(id: number, ended: Ended): void {
    const one = seated.get(id);
    if (!one) return;
    seated.delete(id);
    turns.forget(id);
    if (ended.code !== 0) isClean = false;
    appointments.forget(id);
    if (stopping) {
      tellStopping();
      if (seated.size === 0) onEnd({ status: stopping.status, isClean });
    } else if (one.state === 'leaving' || one.state === 'refusing') noteRenewed(one.number);
    else replace(one, ended);
  }

  start(1, 'first');
  return {
    stop: (reason) => endServer(reason, 0),
    end() {
      for (const { process } of seated.values()) process.kill();
    },
    renew() {
      if (stopping || renewing.length > 0) return;
      renewing = Array.from({ length: count }, (_, index) => index + 1);
      log('info', 'workers-renewing', { workers: count });
      renewNext();
    },
  };
}
