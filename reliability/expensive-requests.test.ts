import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { createRandom, listSeeds, type Recipe } from './testing/expensive/recipe.ts';
import { type Found, measure, search } from './testing/expensive/search.ts';
import { startMeasured, type Measured } from './testing/expensive/start-measured.ts';

/**
 * Looks for the request of a stranger that costs most, since nobody thinks of all of them: docs/decisions/069. It begins with a
 * request for each endpoint and each shape of a body, changes those that were most expensive, and keeps what is more so. What is above a
 * limit is printed, so that it can be sent again:
 *
 *     EXPENSIVE_REQUEST='{…}' RELIABILITY=expensive node scripts/vitest.mjs --config reliability/vitest.config.ts
 *
 * `EXPENSIVE_MINUTES` says how long, `EXPENSIVE_SEED` which changes.
 */
const minutes = Number(process.env['EXPENSIVE_MINUTES'] ?? 1 / 3);
const seed = Number(process.env['EXPENSIVE_SEED'] ?? 1);
const repeated = process.env['EXPENSIVE_REQUEST'];

/**
 * Twice what the work of one request may be: another one may be in the same turn, and the measuring is. The short run is there so that this
 * does not rot, beside other tests, and fails where a request takes far more.
 */
const longestStopMs = minutes < 1 ? 100 : 50;
const mostStaysMib = 32;

/** Beyond this the rest is much the same. */
const looked = 12;

/** Sent a few at a time, as often as one person can. */
async function measureStays(measured: Measured, recipe: Recipe): Promise<number> {
  const before = await measured.readRss(recipe);
  for (let round = 0; round < 10; round += 1) {
    await Promise.all(Array.from({ length: 3 }, () => measured.ask(recipe)));
  }
  await wait(2_000);
  return (await measured.readRss(recipe)) - before;
}

function describeFound({ recipe, ms, status }: Found): string {
  return `${ms.toFixed(1)} ms  ${status}  ${JSON.stringify(recipe)}`;
}

/** A seed, with whatever of it the text says otherwise. */
function readRecipe(text: string): Recipe {
  const [plain] = listSeeds();
  if (!plain) throw new Error('no seed');
  return Object.assign({ ...plain }, JSON.parse(text));
}

test(
  `no request of a stranger stops the server for ${longestStopMs} ms, or leaves ${mostStaysMib} MiB`,
  { timeout: (minutes * 60 + 600) * 1_000 },
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'expensive-'));
    try {
      await using measured = await startMeasured(folder);
      const until = performance.now() + minutes * 60_000;
      const how = {
        ask: measured.ask,
        random: createRandom(seed),
        doubtedMs: longestStopMs / 2,
        isOver: () => performance.now() >= until,
      };
      const { most, asked } =
        repeated === undefined ? await search(how) : { most: [await measure(how, readRecipe(repeated))], asked: 1 };
      console.log(`seed ${seed}: ${asked} requests were made up\n${most.map(describeFound).join('\n')}`);
      const tooLong = most.filter(({ ms }) => ms > longestStopMs).map(describeFound);
      const tooMuch: string[] = [];
      for (const found of most.slice(0, minutes < 1 ? 3 : looked)) {
        const stays = await measureStays(measured, found.recipe);
        console.log(`${stays.toFixed(1)} MiB stay  ${JSON.stringify(found.recipe)}`);
        if (stays > mostStaysMib) tooMuch.push(`${stays.toFixed(1)} MiB  ${JSON.stringify(found.recipe)}`);
      }
      expect(tooLong).toEqual([]);
      expect(tooMuch).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);
