import 'server-only';

import { writeLog } from '#src/runtime/log.ts';

/** How many of one class of requests are answered at the same time. */
export type Gate = {
  /** False when there are too many; then nothing has been taken. */
  readonly enter: () => boolean;
  readonly leave: () => void;
};

/** One line when the first one is turned away, and one when there is room again: a line for each would be its own flood. */
export function createGate(name: string, limit: number): Gate {
  let inside = 0;
  let turnedAway = 0;
  return {
    enter() {
      if (inside < limit) {
        inside += 1;
        return true;
      }
      if (turnedAway === 0) writeLog('warn', 'too-many-at-once', { class: name, limit });
      turnedAway += 1;
      return false;
    },
    leave() {
      inside -= 1;
      if (turnedAway === 0 || inside > limit / 2) return;
      writeLog('info', 'room-again', { class: name, turnedAway });
      turnedAway = 0;
    },
  };
}
