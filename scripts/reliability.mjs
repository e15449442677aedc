import path from 'node:path';

import { ensureBuilt, ensureInstalled, ensureMounted, findNode, root } from './prepare.mjs';
import { runSteps } from './run.mjs';

const config = path.join(root, 'reliability/vitest.config.ts');

/**
 * Tests that need the whole server: it is started, attacked, stopped and killed. `*.test.ts` takes seconds and is part
 * of `npm test`. `*.nightly.ts` takes minutes.
 */
export function reliabilityStep(node, filters = []) {
  return ['reliability', node, [path.join(root, 'scripts/vitest.mjs'), '--config', config, ...filters]];
}

/** Those that store something, once more with the store on PostgreSQL. */
export function reliabilityOnPostgresStep(node) {
  const [, command, args] = reliabilityStep(node);
  return ['reliability on PostgreSQL', command, args, { RELIABILITY_ENGINE: 'postgres' }];
}

if (process.argv[1] === import.meta.filename) {
  ensureInstalled();
  const node = findNode();
  ensureBuilt(node);
  ensureMounted(node);
  const filters = process.argv.slice(2);
  const steps = [reliabilityStep(node, filters), ...(filters.length > 0 ? [] : [reliabilityOnPostgresStep(node)])];
  await runSteps(steps, { cwd: root });
}
