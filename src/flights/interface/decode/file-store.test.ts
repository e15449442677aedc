import { expect, it } from 'vitest';

import { maxKeptBytes, maxKeptFiles, selectKept } from './file-store.ts';

function files(...sizes: readonly number[]) {
  return sizes.map((size, id) => ({ id, blob: { size } }));
}

function kept(...sizes: readonly number[]): number[] {
  return selectKept(files(...sizes)).map(({ id }) => id);
}

it('keeps the newest', () => {
  expect(kept(...Array.from({ length: maxKeptFiles + 3 }, () => 1))).toEqual(
    Array.from({ length: maxKeptFiles }, (_, index) => index),
  );
});

it('keeps what fits, and the newest in any case', () => {
  expect(kept(maxKeptBytes / 2, maxKeptBytes / 2, 1)).toEqual([0, 1]);
  expect(kept(maxKeptBytes + 1, 1)).toEqual([0]);
});
