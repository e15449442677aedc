import { fail } from './prepare.mjs';
import { prepareStages } from './prepare-stages.mjs';
import { createClock, runStages } from './run.mjs';
import { daily, frameworks, nightly, rest } from './stages.mjs';

/**
 * `npm run test:all`: everything `npm test` runs, and the rest: both engines everywhere, all journeys, attacks, packing.
 * `-- --rest` leaves out what `npm test` has run. `-- --frameworks` builds an app of each framework, too, and `-- --nightly` adds what
 * takes minutes for each file; both need the registry.
 */
const added = { '--rest': [], '--frameworks': [frameworks], '--nightly': nightly };
const words = process.argv.slice(2);
for (const word of words) {
  if (!(word in added)) fail(`test:all does not know ${word}; it takes ${Object.keys(added).join(', ')}`);
}
const stages = [...(words.includes('--rest') ? [] : daily), ...rest, ...words.flatMap((word) => added[word])];

const clock = createClock();
const { node, options } = await prepareStages(clock);
await runStages(node, stages, options, clock);
