import 'server-only';

import { randomBytes } from 'node:crypto';

let lastTime = 0;
let lastCount = 0;

/** 0 for what is none. */
function readHex(text: string): number {
  return Number.parseInt(text, 16) || 0;
}

/**
 * The id of a turn that is being written. Ids sort in the order in which turns are written, also when a clock goes back, and when several
 * processes write whose clocks differ: so the later of two activities is undone first.
 * @param latest the highest id so far, read in the transaction that writes this one
 */
export function createActivityId(latest: string = ''): string {
  const [latestTime, latestCount] = [readHex(latest.slice(0, 12)), readHex(latest.slice(12, 16))];
  const time = Math.max(Date.now(), lastTime, latestTime);
  const ofProcess = time === lastTime ? lastCount + 1 : 0;
  const ofOthers = time === latestTime ? latestCount + 1 : 0;
  lastTime = time;
  lastCount = Math.max(ofProcess, ofOthers);
  const hex = time.toString(16).padStart(12, '0');
  return `${hex}${(lastCount % 65_536).toString(16).padStart(4, '0')}${randomBytes(2).toString('hex')}`;
}
