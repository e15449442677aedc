import { checkSteps } from './check.mjs';
import { browserEnvironment } from './browser-environment.mjs';
import { journeysOnPostgresStep, journeysStep } from './journeys.mjs';
import { ensureBuilt, ensureInstalled, ensureMounted, findNode, root } from './prepare.mjs';
import { reliabilityOnPostgresStep, reliabilityStep } from './reliability.mjs';
import { runSteps } from './run.mjs';

/**
 * Everything: the checks (unit tests on both engines), attacks and kills, then every journey in a real browser against the production
 * build; the last two on SQLite and on PostgreSQL.
 */
ensureInstalled();
const node = findNode();
const browser = browserEnvironment(node);
ensureBuilt(node);
ensureMounted(node);
const steps = [
  ...checkSteps(node),
  reliabilityStep(node),
  reliabilityOnPostgresStep(node),
  journeysStep(node),
  journeysOnPostgresStep(node),
];
await runSteps(steps, { cwd: root, env: { ...process.env, RELIABILITY: 'quick', ...browser } });
