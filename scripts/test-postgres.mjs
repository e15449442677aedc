import { browserEnvironment } from './browser-environment.mjs';
import { journeysOnPostgresStep } from './journeys.mjs';
import { ensureBuilt, ensureInstalled, findNode, root } from './prepare.mjs';
import { reliabilityOnPostgresStep } from './reliability.mjs';
import { runSteps } from './run.mjs';

/** Kills, and every journey in a real browser, against the production build with the store on PostgreSQL. */
ensureInstalled();
const node = findNode();
const browser = browserEnvironment(node);
ensureBuilt(node);
await runSteps([reliabilityOnPostgresStep(node), journeysOnPostgresStep(node)], {
  cwd: root,
  env: { ...process.env, RELIABILITY: 'quick', ...browser },
});
