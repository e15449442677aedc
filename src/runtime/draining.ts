import 'server-only';

/**
 * Whether this process is about to end: from then on it is not ready for new work, and each answer is the last one on
 * its connection. Set once, by the host, when it is told to stop.
 */
let isEnding = false;

export function beginDraining(): void {
  isEnding = true;
}

export function isDraining(): boolean {
  return isEnding;
}
