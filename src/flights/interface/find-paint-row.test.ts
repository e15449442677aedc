import { expect, it } from 'vitest';

import type { Vitals } from '#src/flights/vitals/vitals.ts';

import { findPaintRow } from './find-paint-row.ts';

const utf8 = new TextEncoder();

/** Each text is one write, at its time. */
function find(vitals: Vitals, ...writes: readonly (readonly [ms: number, text: string])[]) {
  const payload = utf8.encode(writes.map(([, text]) => text).join(''));
  const chunks = writes.map(([ms, text]) => ({ ms, bytes: utf8.encode(text).length }));
  return findPaintRow(payload, chunks, vitals);
}

function painted(ms: number, address?: string, askedMs = 100): Vitals {
  const lcp = { ms, loadDelayMs: 0, loadMs: 0, renderDelayMs: 0, ...(address === undefined ? {} : { address }) };
  return { lcp, ttfb: { ms: 150, askedMs } };
}

const shell = [40, '0:["$","main",null,{"children":["$L5","$L7","$L8"]}]\n5:"A short part"\n'] as const;
const hero = [
  940,
  '6:I["a.js",[],"Hero"]\n7:["$","img",null,{"src":"/hero.png","alt":"The hero of this page"}]\n',
] as const;
const end = [1_500, '8:["$","p",null,{"children":"The end"}]\n'] as const;

it('is the last part that had been sent before the paint, by the time of the request', () => {
  expect(find(painted(1_060), shell, hero, end)).toEqual({ name: '7', beforeMs: 20, foundBy: 'time' });
  expect(find(painted(1_039), shell, hero, end)).toEqual({ name: '0', beforeMs: 899, foundBy: 'time' });
  expect(find(painted(1_620), shell, hero, end)).toEqual({ name: '8', beforeMs: 20, foundBy: 'time' });
});

it('is the one that has the address of the painted picture, if no other has it', () => {
  const [late, other] = [
    [1_100, '8:"later"\n'],
    [1_100, '8:["$","link",null,{"href":"/hero.png"}]\n'],
  ] as const;
  expect(find(painted(1_300, '/hero.png?v'), shell, hero, late)).toEqual({
    name: '7',
    beforeMs: 260,
    foundBy: 'address',
  });
  expect(find(painted(1_300, '/hero.png?v'), shell, hero, other)).toMatchObject({ name: '8', foundBy: 'time' });
  expect(find(painted(1_300, 'data:'), shell, hero, late)).toMatchObject({ foundBy: 'time' });
});

it('is none where nothing had been sent, or where a time is missing', () => {
  expect(find(painted(120), shell)).toBeUndefined();
  expect(find({ lcp: painted(900).lcp }, shell)).toBeUndefined();
  expect(find({ ttfb: { ms: 150, askedMs: 100 } }, shell)).toBeUndefined();
  // Rendered before somebody went to it.
  expect(find({ ...painted(900), ttfb: { ms: 0, askedMs: 0 } }, shell)).toBeUndefined();
  expect(findPaintRow(utf8.encode(shell[1]), [], painted(900))).toBeUndefined();
});
