import { expect, it, vi } from 'vitest';

import { findFlightsOfError } from '#src/flights/for-operator/queries.ts';

import { findCarrier } from './find-carrier.ts';

vi.mock('#src/flights/for-operator/queries.ts', () => ({
  findFlightsOfError: vi.fn(async () => [
    { id: 1, digests: ['other'] },
    { id: 2, digests: ['1995396785'] },
    { id: 3, digests: ['1995396785'] },
  ]),
}));

const fromOutput = { app: 'shop', digest: '1995396785', requestId: '', traceId: '', time: 1_000, path: '' };

it('finds the flight that carried the digest of an error without a path, the nearest in time', async () => {
  expect(await findCarrier(fromOutput)).toMatchObject({ id: 2 });
  expect(await findCarrier({ ...fromOutput, digest: 'unknown' })).toBeUndefined();
});

it('looks for none where the error says its path, or has no digest', async () => {
  vi.mocked(findFlightsOfError).mockClear();
  expect(await findCarrier({ ...fromOutput, path: '/late' })).toBeUndefined();
  expect(await findCarrier({ ...fromOutput, digest: null })).toBeUndefined();
  expect(findFlightsOfError).not.toHaveBeenCalled();
});
