import { existsSync } from 'node:fs';
import path from 'node:path';

import { runInForeground } from '../bin/run-in-foreground.mjs';
import { benchAll } from './bench-all.mjs';
import { ensureBuilt, ensureInstalled, fail, findNode, root } from './prepare.mjs';

/** `npm run bench <name> [-- options]`: one measurement at a time, since two would disturb each other; `all`: one after another. */
const [name = 'runtime', ...options] = process.argv.slice(2);
const file = path.join(root, 'bench', `${name}.ts`);
const isKnown = name === 'all' || (/^[a-z-]+$/.test(name) && existsSync(file));
if (!isKnown) fail(`there is no benchmark called ${name}; try: npm run bench runtime`);
ensureInstalled();
const node = findNode();
ensureBuilt(node);
if (name === 'all') await benchAll(node, options);
else runInForeground(node, [file, ...options], { cwd: root, env: { ...process.env, NODE_ENV: 'production' } });
