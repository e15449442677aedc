import { expect, it } from 'vitest';

import { startInOrder } from './start-in-order.ts';

function part(name: string, seen: string[]) {
  return async () => {
    seen.push(`${name} starts`);
    return async () => {
      await Promise.resolve();
      seen.push(`${name} stops`);
    };
  };
}

it('starts one after the other and stops in the reverse order, once', async () => {
  const seen: string[] = [];
  const stop = await startInOrder([part('database', seen), part('recorder', seen)]);
  expect(seen).toEqual(['database starts', 'recorder starts']);
  const again = stop();
  await stop();
  await again;
  expect(seen.slice(2)).toEqual(['recorder stops', 'database stops']);
});

it('stops what has started when a part cannot start', async () => {
  const seen: string[] = [];
  const failed = startInOrder([
    part('database', seen),
    () => Promise.reject(new Error('no room')),
    part('recorder', seen),
  ]);
  await expect(failed).rejects.toThrow('no room');
  expect(seen).toEqual(['database starts', 'database stops']);
});

it('stops the others when a part cannot stop, and says so', async () => {
  const seen: string[] = [];
  const broken = () => () => Promise.reject(new Error('the disk is gone'));
  const stop = await startInOrder([part('database', seen), broken, part('recorder', seen)]);
  await expect(stop()).rejects.toThrow('the disk is gone');
  expect(seen.slice(2)).toEqual(['recorder stops', 'database stops']);
});
