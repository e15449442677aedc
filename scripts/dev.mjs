import path from 'node:path';

import { runInForeground } from '../bin/run-in-foreground.mjs';
import { choosePort } from './choose-place.mjs';
import { ensureServable, fail, findNode, root } from './prepare.mjs';

ensureServable();
const command = `npm run ${process.env.npm_lifecycle_event === 'lab' ? 'lab -- …' : 'dev'}`;
const host = process.env.HOST ?? '127.0.0.1';
const port = await choosePort({ host, given: process.env.PORT || undefined, usual: '3000', command }).catch((error) =>
  fail(error.message),
);
runInForeground(findNode(), [path.join(root, 'scripts/serve-dev.mjs'), 'dev', '--host', host, '--port', port], {
  cwd: root,
  // On one's own machine, where everything is rebuilt at each change, signing in would only be in the way.
  env: { FLIGHT_AUTH: 'off', ...process.env, NODE_ENV: 'development', HOST: host, PORT: port },
});

/** Where it listens. */
export const origin = `http://${host}:${port}`;
