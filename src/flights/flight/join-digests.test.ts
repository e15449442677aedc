import { expect, it } from 'vitest';

import { joinDigests, splitDigests } from './join-digests.ts';

it.each([[[]], [['3F7K2M9QRT']], [['a,b', '100 %', '%2C', ',']], [['2338734591@E394', 'A'.repeat(64)]]])(
  '%o stays what it is',
  (digests) => {
    expect(splitDigests(joinDigests(digests))).toEqual(digests);
  },
);

it('names no digest of an error that has none, and says that there was an error', () => {
  expect(joinDigests([''])).not.toBe('');
  expect(splitDigests(joinDigests(['', '2338734591']))).toEqual(['2338734591']);
});

it('reads what earlier builds wrote', () => {
  expect(splitDigests('3F7K2M9QRT,ABCDEFGHJK')).toEqual(['3F7K2M9QRT', 'ABCDEFGHJK']);
});
