import { expect, test } from 'vitest';

import { createTextBudget } from './text-budget.ts';

const budgeted = 128 * 1024;

function measureScrub(part: string): number {
  const text = part.repeat(Math.ceil(budgeted / part.length));
  const started = process.cpuUsage();
  // One takes less than what some clocks of processor time tell apart.
  for (let time = 0; time < 8; time += 1) createTextBudget().scrub(text, budgeted);
  return process.cpuUsage(started).user;
}

test.each(['=&%41?', 'a@a%2525', '%3D', '://a%61@', '%%', String.raw`\u0041`, 'pass%77ord%3D', 'f:%61'])(
  'a text whose escapes are read costs no more than the dearest one without: %s',
  (part) => {
    // In turn, and the least of nine: the others hold what else the machine did, and code that is not compiled yet.
    const rounds = Array.from({ length: 9 }, () => [measureScrub(part), measureScrub('=&A?')] as const);
    const [spelled, plain] = [Math.min(...rounds.map(([one]) => one)), Math.min(...rounds.map(([, other]) => other))];
    // Without the budget for spelled text it is 3.1.
    expect(spelled / plain).toBeLessThan(2.6);
  },
);
