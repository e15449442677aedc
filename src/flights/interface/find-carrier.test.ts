import { expect, it, vi } from 'vitest';

import { findFlightsOfError } from '#src/flights/for-operator/queries.ts';

import { findCarrier } from './find-carrier.ts';

vi.mock('#src/flights/for-operator/queries.ts', async (load) => ({
  ...(await load<object>()),
  findFlightsOfError: vi.fn(async () => ({
    foundBy: 'time',
    flights: [
      { id: 1, digests: ['other'], path: '/other', startedAt: 1_000, durationMs: 100 },
      { id: 2, digests: ['1995396785'], path: '/a', startedAt: 1_001, durationMs: 100 },
      { id: 3, digests: ['1995396785'], path: '/a', startedAt: 1_002, durationMs: 100 },
      { id: 4, digests: ['1995396785'], path: '/b', startedAt: 9_000, durationMs: 100 },
    ],
  })),
}));

const fromOutput = { app: 'shop', digest: '1995396785', requestId: '', traceId: '', time: 1_000, path: '' };

it('finds the flight that carried the digest of an error without a path, the nearest in time', async () => {
  expect(await findCarrier(fromOutput)).toMatchObject({ flight: { id: 2 }, pages: 1 });
  expect(await findCarrier({ ...fromOutput, digest: 'unknown' })).toBeUndefined();
});

it('says of how many pages it may be, where others carried the same digest at that moment', async () => {
  const carried = [
    { id: 2, digests: ['1995396785'], path: '/a', startedAt: 1_001, durationMs: 100 },
    { id: 3, digests: ['1995396785'], path: '/b', startedAt: 1_003, durationMs: 100 },
  ];
  vi.mocked(findFlightsOfError).mockResolvedValueOnce(
    JSON.parse(JSON.stringify({ foundBy: 'time', flights: carried })),
  );
  expect(await findCarrier(fromOutput)).toMatchObject({ flight: { path: '/a' }, pages: 2 });
});

it('finds none where no flight with the digest was under way', async () => {
  expect(await findCarrier({ ...fromOutput, time: 30_000 })).toBeUndefined();
});

it('looks for none where the error says its path, or has no digest', async () => {
  vi.mocked(findFlightsOfError).mockClear();
  expect(await findCarrier({ ...fromOutput, path: '/late' })).toBeUndefined();
  expect(await findCarrier({ ...fromOutput, digest: null })).toBeUndefined();
  expect(findFlightsOfError).not.toHaveBeenCalled();
});
