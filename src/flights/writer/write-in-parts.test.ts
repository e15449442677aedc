import { expect, it, vi } from 'vitest';

import { isOfOneFlight, writeInParts } from './write-in-parts.ts';

/** As a transaction does: all of them or none. */
function createTable(bad: ReadonlySet<number>, problem: Error) {
  const rows: number[] = [];
  const write = vi.fn(async (items: readonly number[]) => {
    if (items.some((item) => bad.has(item))) throw problem;
    rows.push(...items);
  });
  return { rows, write };
}

const hundred = Array.from({ length: 100 }, (_, index) => index);

it('gives up only what cannot be written, and keeps the order of the others', async () => {
  const { rows, write } = createTable(new Set([7, 99]), new URIError('URI malformed'));
  const giveUp = vi.fn();
  await writeInParts(hundred, write, giveUp);
  expect(rows).toEqual(hundred.filter((item) => item !== 7 && item !== 99));
  expect(giveUp).toHaveBeenCalledTimes(2);
  expect(write.mock.calls.length).toBeLessThan(40);
});

it('gives nothing up for what the database cannot do', async () => {
  const full = Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 });
  const { write } = createTable(new Set([7]), full);
  const giveUp = vi.fn();
  await expect(writeInParts(hundred, write, giveUp)).rejects.toBe(full);
  expect(write).toHaveBeenCalledTimes(1);
  expect(giveUp).not.toHaveBeenCalled();
});

it.each([
  [true, { errcode: 1299 }],
  [true, { errcode: 18 }],
  [false, { errcode: 11 }],
  [true, { code: '22P05' }],
  [true, { code: '54000' }],
  [true, { code: '23502' }],
  // No part for the row: another instance has just deleted everything.
  [false, { code: '23514' }],
  [false, { code: '57P01' }],
  [false, { code: 'ECONNREFUSED' }],
])('%s: the fault of one, for an error with %o', (isOne, fields) => {
  expect(isOfOneFlight(Object.assign(new Error('no'), fields))).toBe(isOne);
});
