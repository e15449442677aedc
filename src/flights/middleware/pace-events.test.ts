import { setImmediate as nextTurn } from 'node:timers/promises';

import { expect, it } from 'vitest';

import { createPace } from './pace-events.ts';

it('begins in a turn of the event loop what fits into 10 ms, the others in the turns after it', async () => {
  let time = 0;
  let turn = 0;
  const begin = createPace(() => time);
  const begun: number[] = [];

  async function work(): Promise<void> {
    await begin();
    // Its work goes on after a promise that waits for nothing.
    await Promise.resolve();
    time += 4;
    begun.push(turn);
  }

  const all = Promise.all(Array.from({ length: 7 }, work));
  for (; begun.length < 7 && turn < 20; turn += 1) await nextTurn();
  await all;
  const counts = [...new Set(begun)].map((one) => begun.filter((other) => other === one).length);
  expect(counts).toEqual([3, 3, 1]);
});

it('begins at once after a rest', async () => {
  const begin = createPace(() => 0);
  await begin();
  await nextTurn();
  await nextTurn();
  let isBegun = false;
  void begin().then(() => (isBegun = true));
  await Promise.resolve();
  expect(isBegun).toBe(true);
});
