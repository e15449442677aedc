import { expect, it } from 'vitest';

import { answerBound, boundAnswer } from './bound-answer.ts';

it('leaves alone what is within the bound', () => {
  const answer = { time: '2026-11-22T17:47:34.225Z', lines: ['a', 'b'], none: null, count: 3, tags: { a: 'b' } };
  expect(boundAnswer(answer)).toEqual({ value: answer, isShortened: false });
});

it.each([
  ['one long text', { message: 'x'.repeat(1_000_000) }],
  ['many rows', { faults: Array.from({ length: 5_000 }, (_, id) => ({ id, message: 'y'.repeat(200) })) }],
  ['many tags', { tags: Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`tag-${at}`, 'z'.repeat(100)])) }],
  ['long names of tags', { extra: { ['n'.repeat(100_000)]: 'z' } }],
  ['a long address', { page: `http://x/${'p'.repeat(100_000)}` }],
  [
    'lists in lists',
    { a: Array.from({ length: 200 }, () => ({ frames: Array.from({ length: 50 }, () => 'f'.repeat(50)) })) },
  ],
])('cuts %s to the bound, and says so', (_, answer) => {
  const { value, isShortened } = boundAnswer(answer);
  expect(JSON.stringify(value).length).toBeLessThanOrEqual(answerBound);
  expect(isShortened).toBe(true);
  expect(Object.keys(value ?? {})).toEqual(Object.keys(answer));
});

it('cuts long texts before it leaves out rows, and never half an address', () => {
  const page = `http://127.0.0.1:3000/${'p'.repeat(200)}`;
  const answer = { faults: Array.from({ length: 10 }, () => ({ message: 'm'.repeat(10_000), page })) };
  const { value } = boundAnswer(answer);
  const text = JSON.stringify(value);
  expect(text.split(page).length - 1).toBe(10);
  expect(text).toContain(`${'m'.repeat(1_000)}…`);
});

it('shows what hides text or steers a terminal as its code, and keeps lines', () => {
  expect(boundAnswer('a\u202eb\u001b[31m\nc\u{e0041}').value).toBe('a\\u202eb\\u001b[31m\nc\\udb40\\udc41');
});
