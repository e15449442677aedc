import path from 'node:path';

import { runInForeground } from '../bin/run-in-foreground.mjs';
import { ensureInstalled, findNode, root } from './prepare.mjs';

ensureInstalled();
const port = process.env.PORT ?? '3000';
const host = process.env.HOST ?? '127.0.0.1';
runInForeground(findNode(), [path.join(root, 'node_modules/waku/cli.js'), 'dev', '--host', host, '--port', port], {
  cwd: root,
  // On one's own machine, where everything is rebuilt at each change, signing in would only be in the way.
  env: { FLIGHT_AUTH: 'off', ...process.env, NODE_ENV: 'development', HOST: host, PORT: port },
});
