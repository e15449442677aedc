import 'server-only';

import { randomBytes } from 'node:crypto';

let lastTime = 0;
let count = 0;

/** The id of a turn. Ids sort by time, and within a millisecond of one process in the order in which they were made. */
export function createTurnId(time: number): string {
  count = time === lastTime ? count + 1 : 0;
  lastTime = time;
  const hex = time.toString(16).padStart(12, '0');
  return `${hex}${(count % 65_536).toString(16).padStart(4, '0')}${randomBytes(2).toString('hex')}`;
}
