import { expect, it, vi } from 'vitest';

import type { CarrierPlace } from '#src/flights/for-operator/flights-of-digests.ts';

import { placeErrors } from './place-errors.ts';

const carriers = vi.hoisted((): { list: readonly CarrierPlace[] } => ({ list: [] }));
vi.mock('#src/flights/for-operator/flights-of-digests.ts', () => ({ listCarriers: async () => carriers.list }));

/** The rule, said as plainly as it can be: on the pages of flights under way that began with the nearest of them. */
function listPlaces(time: number): string[] {
  const underWay = carriers.list.filter(
    ({ startedAt, durationMs }) => startedAt <= time + 2_000 && time - 2_000 <= startedAt + durationMs,
  );
  const [nearest] = underWay.toSorted((a, b) => Math.abs(a.startedAt - time) - Math.abs(b.startedAt - time));
  if (!nearest) return [];
  const near = underWay.filter(({ startedAt }) => Math.abs(startedAt - nearest.startedAt) <= 2_000);
  return [...new Set(near.map(({ path }) => path))].toSorted();
}

it('places errors among any flights as the plain rule does', async () => {
  let state = 7;
  const upTo = (limit: number) => (state = (state * 48_271) % 2_147_483_647) % limit;
  let placedAtAll = 0;
  for (let turn = 0; turn < 100; turn += 1) {
    carriers.list = Array.from({ length: 30 }, () => ({
      path: `/p${upTo(6)}`,
      route: '',
      startedAt: 1e12 + upTo(20_000),
      durationMs: upTo(5_000),
    }));
    const rows = Array.from({ length: 30 }, () => ({ time: 1e12 + upTo(26_000) - 3_000, path: '', route: '' }));
    for (const { time, path, perhaps } of await placeErrors(rows, 'shop', 'd')) {
      const placed = path === '' ? perhaps.map((place) => place.path).toSorted() : [path];
      expect(placed).toEqual(listPlaces(time));
      placedAtAll += placed.length;
    }
  }
  expect(placedAtAll).toBeGreaterThan(3_000);
});
