import path from 'node:path';

import { browserEnvironment } from './browser-environment.mjs';
import { ensureInstalled, findNode, root } from './prepare.mjs';
import { runSteps } from './run.mjs';

/**
 * `npm run test:frameworks [-- -t <name>]`: builds an app of each framework in a temporary folder and compares what it
 * sends with the tables in reliability/frameworks. It needs the registry, and minutes.
 */
ensureInstalled();
const node = findNode();
const browser = browserEnvironment(node);
const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
const config = path.join(root, 'reliability/frameworks/vitest.config.ts');
await runSteps([['frameworks', node, [vitest, 'run', '--config', config, ...process.argv.slice(2)]]], {
  cwd: root,
  env: { ...process.env, ...browser },
});
