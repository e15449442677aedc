import { expect, test } from 'vitest';

import { readEvent } from '../event/read-event.ts';
import { createTextBudget } from './text-budget.ts';

const budgeted = 128 * 1024;

test('text is cut at its own limit without a word, and at the budget with one', () => {
  const budget = createTextBudget();
  expect(budget.scrub('x'.repeat(300), 100)).toBe('x'.repeat(100));
  expect(budget.scrub('x'.repeat(budgeted), budgeted)).toBe('x'.repeat(budgeted - 100) + '[cut]');
  expect(budget.isUsedUp()).toBe(true);
  expect(budget.scrub('more', 100)).toBe('[cut]');
  expect(budget.scrubPath('/more', 100)).toBe('[cut]');
  expect(budget.scrub('', 100)).toBe('');
});

test('what is taken out does not make a text longer than its limit', () => {
  expect(createTextBudget().scrub('pwd=a,'.repeat(10), 60)).toHaveLength(60);
  expect(createTextBudget().scrubPath(`/${'é'.repeat(99)}`, 100)).toHaveLength(100);
});

test('a report of a megabyte keeps its message and its newest breadcrumbs, and says where it was cut', () => {
  const frames = Array.from({ length: 50 }, (_, index) => ({ filename: `f${index}${'x'.repeat(2000)}`, lineno: 1 }));
  const data = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`key${index}`, 'v'.repeat(512)]));
  const event = readEvent({
    exception: { values: [{ type: 'E', value: 'm'.repeat(9000), stacktrace: { frames } }] },
    breadcrumbs: Array.from({ length: 100 }, (_, index) => ({ timestamp: 1 + index, message: `m${index}`, data })),
  });
  expect(event?.message).toHaveLength(8192);
  expect(event?.frames.map(({ file }) => file.length)).toEqual(Array.from({ length: 50 }, () => 1024));
  const crumbs = event?.breadcrumbs ?? [];
  expect(crumbs.at(-1)).toMatchObject({ message: 'm99', data });
  expect(crumbs.length).toBeLessThan(10);
  expect(JSON.stringify(crumbs.slice(1))).not.toContain('[cut]');
  expect(JSON.stringify(crumbs[0])).toContain('[cut]');
  expect(JSON.stringify(event).length).toBeLessThan(budgeted + 10_000);
});

test('breadcrumbs are in the order of their times, whatever theirs was', () => {
  const crumbs = [3, 1, 2].map((timestamp) => ({ timestamp, message: `m${timestamp}` }));
  const event = readEvent({ message: 'x', breadcrumbs: crumbs });
  expect(event?.breadcrumbs.map(({ message }) => message)).toEqual(['m1', 'm2', 'm3']);
});
