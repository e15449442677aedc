import { statfsSync } from 'node:fs';

import { expect, it, vi } from 'vitest';

import { createRoomCheck } from './has-room.ts';

vi.mock('node:fs', { spy: true });

it('a disk without room for more than what must be written has none for recordings', () => {
  const read = statfsSync('.');
  const answer = (mebibytes: number) =>
    vi.mocked(statfsSync).mockReturnValueOnce({ ...read, bsize: 1024 * 1024, bavail: mebibytes });
  vi.useFakeTimers({ toFake: ['performance'] });
  const hasRoom = createRoomCheck('.');
  answer(33);
  expect(hasRoom()).toBe(true);
  answer(32);
  // It is not asked for each batch.
  expect(hasRoom()).toBe(true);
  vi.advanceTimersByTime(1_001);
  expect(hasRoom()).toBe(false);
  vi.advanceTimersByTime(1_001);
  vi.mocked(statfsSync).mockImplementationOnce(() => {
    throw new Error('ENOENT');
  });
  expect(hasRoom()).toBe(true);
  vi.useRealTimers();
});
