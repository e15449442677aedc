import { expect, it } from 'vitest';

import { describeState, describeActivity } from './describe-activity.ts';

const time = Date.UTC(2026, 10, 22, 12);

it.each([
  [{ type: 'open' }, 'Open'],
  [{ type: 'muted' }, 'Muted'],
  [{ type: 'resolved', in: { type: 'now' } }, 'Resolved'],
  [{ type: 'resolved', in: { type: 'release', release: '42' } }, 'Resolved in release 42'],
  [{ type: 'resolved', in: { type: 'next-release' } }, 'Resolved in the next release'],
  [{ type: 'snoozed', until: { type: 'time', time } }, 'Snoozed until 2026-11-22 12:00:00 UTC'],
  [
    { type: 'snoozed', until: { type: 'volume', count: 1_000, hours: 1, before: 3 } },
    'Snoozed until it occurs 1,000 times within an hour',
  ],
  [
    { type: 'snoozed', until: { type: 'volume', count: 1, hours: 24, before: 0 } },
    'Snoozed until it occurs 1 time within 24 hours',
  ],
] as const)('%j', (state, text) => {
  expect(describeState(state)).toBe(text);
});

it.each([
  ['first-seen', {}, 'First seen'],
  ['regressed', { release: '42' }, 'Regressed with release 42'],
  ['regressed', { release: '' }, 'Regressed'],
  ['woke', {}, 'Back from its snooze'],
  ['confirmed', {}, 'Reopened: a server had what only browsers had reported'],
  ['reopened', {}, 'Reopened'],
  ['merged', { moved: [{}, {}] }, 'Took over 2 other faults'],
  ['merged', { into: '7k3m9qrt' }, 'Merged into 7k3m9qrt'],
  ['merged', {}, 'Merged'],
  ['split', { from: '7k3m9qrt' }, 'Split off from 7k3m9qrt'],
  ['split', { moved: [{}] }, 'Some of its fingerprints were split off'],
  ['noted', {}, 'Noted'],
] as const)('%s %j', (type, detail, text) => {
  expect(describeActivity({ type, detail, state: undefined })).toBe(text);
});

it('says of a state what it was', () => {
  const state = { type: 'resolved', in: { type: 'release', release: '42' } } as const;
  expect(describeActivity({ type: 'resolved', detail: {}, state })).toBe('Resolved in release 42');
});
