import { randomBytes } from 'node:crypto';
import cluster from 'node:cluster';

import { checkSettings } from '#src/environment/read-setting.ts';
import { mountPath } from '#src/http/addresses.ts';
import { tellParent } from '#src/http/announcement.ts';
import { writeLog } from '#src/http/log.ts';
import { publicOrigin, serverSettings } from '#src/http/server-settings.ts';
import { dataFolder } from '#src/store/data-folder.ts';
import { takeInstance } from '#src/store/instance.ts';

import { workerArgument } from './join-primary.ts';
import { supervise } from './supervise.ts';
import { startWorkerProcess } from './worker-process.ts';

/**
 * The primary of a server of several processes. It serves nothing and renders nothing, so that nothing ends it: it holds the lock on the
 * data folder and the port, and keeps its workers running (supervise.ts).
 *
 * The workers share one listening socket, which the primary opens and they accept from (`SCHED_NONE`). So a connection that nobody
 * has accepted belongs to no worker: a worker may drain, end or be killed, and another one takes it. docs/decisions/057-workers.md
 * has what the two alternatives lose.
 */

/** 192 bits, as http/visitor.ts makes for one process. */
const secretBytes = 24;
/** As when one process ends at a second signal. */
const endedBySignal = 130;

function passSignals(stop: (reason: string) => void, end: () => void, renew: () => void): void {
  let isStopping = false;
  function take(signal: string): void {
    if (isStopping) end();
    else stop(signal);
    isStopping = true;
  }
  process.on('SIGTERM', take);
  process.on('SIGINT', take);
  if (process.platform !== 'win32') process.on('SIGUSR2', renew);
  // Started by `flight-recorder run`, which has ended without a word: nobody else would end this one.
  if (process.connected) process.on('disconnect', () => take('parent-ended'));
}

/**
 * @param script what a worker runs: the same as this process
 * @throws with one line for the operator
 */
export function startPrimary(count: number, script: string): void {
  // All files of the data folder hold what visitors and errors say.
  process.umask(0o077);
  checkSettings();
  const door = randomBytes(secretBytes).toString('base64url');
  const { hostname, port } = serverSettings();
  const presence = { address: { hostname, port }, origin: publicOrigin(serverSettings()) + mountPath, door };
  const instance = takeInstance(dataFolder(), presence);
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({ exec: script, args: [workerArgument] });
  let isEndedAtOnce = false;
  const { stop, end, renew } = supervise({
    count,
    fork: (onMessage, onEnd) => startWorkerProcess({ onMessage, onEnd }),
    hello: { door, wasStoppedCleanly: instance.wasStoppedCleanly },
    onMessage(message) {
      if (message.type === 'presence') instance.announce({ address: message.address, origin: message.origin, door });
      else tellParent({ type: 'listening', origin: message.origin, loginUrl: message.loginUrl });
    },
    log: writeLog,
    onEnd({ status, isClean }) {
      if (isEndedAtOnce) process.exit(endedBySignal);
      // Otherwise the next start checks the database: what ended a worker may have damaged it.
      if (isClean) instance.release();
      process.exit(status);
    },
  });
  function endAtOnce(): void {
    isEndedAtOnce = true;
    end();
  }
  passSignals(stop, endAtOnce, renew);
}
