import { browserEnvironment } from './browser-environment.mjs';
import { ensureBuilt, ensureInstalled, ensureMounted, findNode, root } from './prepare.mjs';
import { runStages } from './run.mjs';
import { reliability } from './stages.mjs';

/** `npm run test:reliability [<file> …]`: all of it, each test as long as a night has room for; or the files that are named. */
ensureInstalled();
const node = findNode();
const browser = browserEnvironment(node);
ensureBuilt(node);
ensureMounted(node);
await runStages(node, [reliability(undefined, process.argv.slice(2))], {
  cwd: root,
  env: { ...process.env, ...browser },
});
