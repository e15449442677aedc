import path from 'node:path';

import { checkSteps } from './check.mjs';
import { provideBrowser } from './find-browser.mjs';
import { ensureBuilt, ensureInstalled, fail, findNode, root } from './prepare.mjs';
import { reliabilityStep } from './reliability.mjs';
import { runSteps } from './run.mjs';

/** Everything: the checks, then every journey in a real browser against the production build. */
ensureInstalled();
const node = findNode();
let browser;
try {
  browser = provideBrowser(root, node);
} catch (error) {
  fail(error.message);
}
ensureBuilt(node);
await runSteps(
  [
    ...checkSteps(node),
    reliabilityStep(node),
    ['end-to-end tests', node, [path.join(root, 'node_modules/playwright/cli.js'), 'test']],
  ],
  {
    cwd: root,
    env: { ...process.env, RELIABILITY: 'quick', ...(browser === 'playwright' ? {} : { CHROMIUM_PATH: browser }) },
  },
);
