import { browserEnvironment } from './browser-environment.mjs';
import { ensureInstalled, findNode, root } from './prepare.mjs';
import { runStages } from './run.mjs';
import { frameworks } from './stages.mjs';

/**
 * `npm run test:frameworks [-- -t <name>]`: builds an app of each framework in a temporary folder and compares what it
 * sends with the tables in reliability/frameworks. It needs the registry, and minutes.
 */
ensureInstalled();
const node = findNode();
const stage = { ...frameworks, args: [...frameworks.args, ...process.argv.slice(2)] };
await runStages(node, [stage], { cwd: root, env: { ...process.env, ...browserEnvironment(node) } });
