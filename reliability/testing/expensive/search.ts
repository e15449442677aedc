import { listSeeds, mutate, pick, type Random, type Recipe } from './recipe.ts';

/** Looks for the most expensive request by changing those that were most expensive. */
type Asked = { readonly longestMs: number; readonly status: string };
type Ask = (recipe: Recipe) => Promise<Asked>;
export type Found = { readonly recipe: Recipe; readonly ms: number; readonly status: string };

export type Search = {
  readonly ask: Ask;
  readonly random: Random;
  /** A stop below this is not looked at again. */
  readonly doubtedMs: number;
  readonly isOver: () => boolean;
};

/** A long stop is believed when it is there each time: a collection of garbage, or compiling, is there once. */
const believedAfter = 4;

/** Of each endpoint, shape and encoding one: what is expensive everywhere must not hide what only one of them has. */
function keepOfEach(all: readonly Found[], read: (recipe: Recipe) => string): readonly Found[] {
  return [...Map.groupBy(all, ({ recipe }) => read(recipe)).values()].flatMap(([first]) => first ?? []);
}

/** The body in one piece, or in chunks: small ones cost so much that nothing else would be kept. */
function isChunked({ chunk }: Recipe): string {
  return chunk === 0 ? 'whole' : 'chunked';
}

/** The most expensive first; of two that cost the same the later one, so that the search moves where the cost does not. */
function keepMost(all: readonly Found[]): readonly Found[] {
  const sorted = all.toReversed().toSorted((a, b) => b.ms - a.ms);
  const kept = new Set([
    ...keepOfEach(sorted, ({ endpoint }) => endpoint),
    ...keepOfEach(sorted, (recipe) => `${recipe.shape} ${isChunked(recipe)}`),
    ...keepOfEach(sorted, (recipe) => `${recipe.encoding} ${isChunked(recipe)}`),
  ]);
  return all.filter((found) => kept.has(found));
}

function sortByCost(all: readonly Found[]): readonly Found[] {
  return all.toSorted((a, b) => b.ms - a.ms);
}

export async function measure({ ask, doubtedMs }: Search, recipe: Recipe): Promise<Found> {
  const { longestMs, status } = await ask(recipe);
  let ms = longestMs;
  for (let time = 1; time < believedAfter && ms > doubtedMs; time += 1) {
    ms = Math.min(ms, (await ask(recipe)).longestMs);
  }
  return { recipe, ms, status };
}

/** @returns what was kept, and how many requests were made up */
export async function search(how: Search): Promise<{ readonly most: readonly Found[]; readonly asked: number }> {
  const { ask, random, isOver } = how;
  const seeds = listSeeds();
  // What is loaded and compiled by the first of its kind is no cost of a request.
  for (const recipe of seeds) await ask(recipe);
  let most: readonly Found[] = [];
  let asked = 0;
  for (const recipe of seeds) most = keepMost([...most, await measure(how, recipe)]);
  while (!isOver()) {
    const from = random() < 0.8 ? pick(random, most).recipe : pick(random, seeds);
    most = keepMost([...most, await measure(how, mutate(random, from))]);
    asked += 1;
  }
  return { most: sortByCost(most), asked };
}
