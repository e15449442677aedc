import { expect, it } from 'vitest';

import { findPrefetchOutcome } from './prefetch-outcome.ts';

const minute = 60_000;
const ofOther = {
  source: 'proxy',
  rendering: 'dynamic',
  started_at: minute,
  first_byte_ms: 5,
  duration_ms: 9,
  used_at: null,
  closed_at: null,
  last_at: null,
} as const;

it.each([
  ['unknown', {}],
  ['used', { used_at: 2 * minute }],
  ['used', { used_at: 2 * minute, closed_at: 3 * minute }],
  ['unused', { closed_at: 3 * minute }],
  ['expired', { closed_at: 7 * minute }],
  ['unknown', { last_at: 3 * minute }],
] as const)('of another app: %s, where its requests say %o', (outcome, known) => {
  expect(findPrefetchOutcome({ ...ofOther, ...known }, 60 * minute)).toBe(outcome);
});
