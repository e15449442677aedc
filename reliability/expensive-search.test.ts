import { expect, test } from 'vitest';

import { createRandom, type Recipe } from './testing/expensive/recipe.ts';
import { search } from './testing/expensive/search.ts';

/** As many as 30 minutes have for one server: 5 had 700. */
const tries = 4_000;

/** What the search finds when a request costs this. */
async function findMost(
  seed: number,
  cost: (recipe: Recipe) => number,
): Promise<readonly [number, Recipe | undefined]> {
  let left = tries;
  const { most } = await search({
    ask: async (recipe) => ({ longestMs: cost(recipe), status: '200' }),
    random: createRandom(seed),
    doubtedMs: Infinity,
    isOver: () => (left -= 1) < 0,
  });
  return [most[0]?.ms ?? 0, most[0]?.recipe];
}

/** What every body costs in small pieces: it must hide nothing. */
function costOfPieces({ chunk, bytes }: Recipe): number {
  return chunk === 1 ? Math.min(45, bytes / 5_000) : Math.min(10, bytes / 50_000);
}

test.each([1, 2, 3, 4, 5])('the search finds a cost that is hidden behind another one, with seed %i', async (seed) => {
  const [nested] = await findMost(seed, (recipe) =>
    recipe.shape === 'nested-objects' && recipe.depth > 4_000 && recipe.chunk === 0
      ? recipe.depth / 200
      : costOfPieces(recipe),
  );
  expect(nested).toBeGreaterThan(50);
  const [decoded, recipe] = await findMost(seed, (one) =>
    one.encoding === 'zstd' && one.endpoint === 'store' && one.bytes > 1_000_000
      ? one.bytes / 40_000
      : costOfPieces(one),
  );
  expect(decoded).toBeGreaterThan(50);
  expect(recipe).toMatchObject({ encoding: 'zstd', endpoint: 'store' });
});
