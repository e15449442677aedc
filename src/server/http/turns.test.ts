import { expect, it } from 'vitest';

import { createTurns } from './turns.ts';

async function settle(): Promise<void> {
  for (let count = 0; count < 5; count += 1) await Promise.resolve();
}

it('so many have a turn at a time, and whoever waits is asked for in rotation', async () => {
  const take = createTurns(2);
  const order: string[] = [];
  const ends: (() => void)[] = [];
  async function work(who: string, name: string): Promise<void> {
    const end = await take(who);
    order.push(name);
    ends.push(end);
  }
  for (const count of [1, 2, 3, 4, 5]) void work('flood', `flood ${count}`);
  void work('shop', 'shop 1');
  void work('blog', 'blog 1');
  await settle();
  expect(order).toEqual(['flood 1', 'flood 2']);
  for (let count = 0; count < 5; count += 1) {
    ends[count]?.();
    await settle();
  }
  expect(order.slice(2)).toEqual(['flood 3', 'shop 1', 'blog 1', 'flood 4', 'flood 5']);
  ends[5]?.();
  ends[6]?.();
  const again = await Promise.all([take('a'), take('b')]);
  expect(again).toHaveLength(2);
});
