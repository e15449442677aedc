import path from 'node:path';

import { ensureBuilt, ensureInstalled, findNode, root } from './prepare.mjs';
import { runInForeground } from './run.mjs';

ensureInstalled();
const node = findNode();
ensureBuilt(node);
runInForeground(node, [path.join(root, 'dist/operator.js'), ...process.argv.slice(2)], {
  cwd: root,
  env: { ...process.env, NODE_ENV: 'production' },
});
