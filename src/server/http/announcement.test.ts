import { expect, it } from 'vitest';

import { readAnnouncement } from './announcement.ts';

it.each([
  { type: 'listening', origin: 'http://127.0.0.1:4000', loginUrl: 'http://127.0.0.1:4000/login#a' },
  { type: 'listening', origin: 'http://127.0.0.1:4000', loginUrl: undefined },
] as const)('is read as it was told: %j', (announcement) => {
  // What is undefined does not come through the channel.
  const received: unknown = JSON.parse(JSON.stringify(announcement));
  expect(readAnnouncement(received)).toEqual(announcement);
});

it.each([
  undefined,
  'listening',
  {},
  { type: 'other', origin: 'x' },
  { type: 'listening' },
  { type: 'listening', origin: 7 },
])('is nothing else: %j', (message) => {
  expect(readAnnouncement(message)).toBe(undefined);
});
