import { browserEnvironment } from './browser-environment.mjs';
import { ensureBuilt, ensureInstalled, ensureMounted, fail, findNode, root } from './prepare.mjs';
import { createStages, runStages } from './run.mjs';
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

const clock = createStages();
await clock.measure('install', ensureInstalled);
const node = findNode();
let browser;
await clock.measure('browser', () => {
  browser = browserEnvironment(node);
});
await clock.measure('build', () => {
  ensureBuilt(node);
  ensureMounted(node);
});

await runStages(node, stages, { cwd: root, env: { ...process.env, ...browser } }, clock);
