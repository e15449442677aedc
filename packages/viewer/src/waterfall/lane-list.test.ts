import { expect, it } from 'vitest';

import { readLines } from './lane-list.tsx';

it('has all rows, or only some, and finds the selected one among them', () => {
  expect(readLines(undefined, 30, 7)).toMatchObject({ count: 30, current: 7 });
  const some = readLines([2, 7, 9], 30, 7);
  expect([some.count, some.current, some.rowAt(2)]).toEqual([3, 1, 9]);
  expect(readLines([2, 7, 9], 30, 8).current).toBeUndefined();
  expect(readLines([2, 7, 9], 30, undefined).current).toBeUndefined();
});
