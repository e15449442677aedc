import { browserEnvironment } from './browser-environment.mjs';
import { ensureBuilt, ensureInstalled, findNode, root } from './prepare.mjs';
import { createStages, runStages } from './run.mjs';
import { daily } from './stages.mjs';

/** `npm test`: what guards daily work. `npm run test:all` is everything. */
const clock = createStages();
await clock.measure('install', ensureInstalled);
const node = findNode();
let browser;
await clock.measure('browser', () => {
  browser = browserEnvironment(node);
});
await clock.measure('build', () => ensureBuilt(node));
await runStages(node, daily, { cwd: root, env: { ...process.env, ...browser } }, clock);
