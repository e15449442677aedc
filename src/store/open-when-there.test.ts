import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { useStore } from '#src/faults/grouping/testing/use-store.ts';

import { openStore } from './open-store.ts';
import { openWhenThere } from './open-when-there.ts';

useStore();

let lines: string[];

beforeEach(() => {
  lines = [];
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  }
});

afterEach(() => void vi.restoreAllMocks());

const gone = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });

it('waits for a database that does not answer yet, and says so once', async () => {
  const open = vi
    .fn(openStore)
    .mockRejectedValueOnce(gone)
    .mockRejectedValueOnce(new Error('away', { cause: gone }));
  expect(await openWhenThere(open, { waitMs: 5_000, pauseMs: 1 })).toBe(await openStore());
  expect(open).toHaveBeenCalledTimes(3);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/"database-away-at-start".*ECONNREFUSED.*"waitsSeconds":5/);
});

it('ends when it waited long enough, and says what it waited for', async () => {
  const open = vi.fn(openStore).mockRejectedValue(gone);
  await expect(openWhenThere(open, { waitMs: 20, pauseMs: 5 })).rejects.toThrow(
    /^connect ECONNREFUSED 127\.0\.0\.1:5432\. It was waited for, 0\.02 s\.$/,
  );
  expect(open.mock.calls.length).toBeGreaterThan(1);
});

it('does not wait where that helps nothing', async () => {
  const open = vi.fn(openStore).mockRejectedValue(new Error('password authentication failed'));
  await expect(openWhenThere(open, { waitMs: 5_000, pauseMs: 1 })).rejects.toThrow('password authentication failed');
  expect(open).toHaveBeenCalledTimes(1);
  expect(lines).toEqual([]);
});
