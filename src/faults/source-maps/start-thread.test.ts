import { expect, it } from 'vitest';

import { chooseHeap } from './start-thread.ts';

const mebibyte = 1024 * 1024;

it.each([
  [undefined, 192],
  [800, 192],
  [150, 102],
  [20, 64],
  [-30, 64],
])('with %s MiB that the process may still take, the thread has %i', (free, heap) => {
  expect(chooseHeap(free === undefined ? undefined : free * mebibyte)).toBe(heap);
});
