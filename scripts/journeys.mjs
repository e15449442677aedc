import path from 'node:path';

import { root } from './prepare.mjs';

/** Every journey in a real browser against the production build. */
export function journeysStep(node) {
  return ['end-to-end tests', node, [path.join(root, 'node_modules/playwright/cli.js'), 'test']];
}

/** Once more, with the store on PostgreSQL. */
export function journeysOnPostgresStep(node) {
  const [, command, args] = journeysStep(node);
  return ['end-to-end tests on PostgreSQL', command, args, { E2E_ENGINE: 'postgres' }];
}
