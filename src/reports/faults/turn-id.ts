import 'server-only';

import { randomBytes } from 'node:crypto';

let lastTime = 0;
let count = 0;

/**
 * The id of a turn that is being written. Within a process ids sort in the order in which turns are written, also when the clock goes
 * back, and so in the order of their commits: whoever has read up to one id misses none that comes later.
 */
export function createTurnId(): string {
  const time = Math.max(Date.now(), lastTime);
  count = time === lastTime ? count + 1 : 0;
  lastTime = time;
  const hex = time.toString(16).padStart(12, '0');
  return `${hex}${(count % 65_536).toString(16).padStart(4, '0')}${randomBytes(2).toString('hex')}`;
}
