import path from 'node:path';

import { root } from './prepare.mjs';

/**
 * What is run, in two tiers: `npm test` guards daily work and takes minutes, `npm run test:all` is everything. A stage has a title, the
 * arguments of its Node process, and variables besides those of all. Those of a list are run at the same time: most keep one core busy.
 *
 * @typedef {Readonly<Record<string, string>>} Variables
 * @typedef {{ readonly title: string, readonly args: readonly string[], readonly env?: Variables, readonly isNeeded?: true }} Stage
 */
const vitest = path.join(root, 'scripts/vitest.mjs');
const reliabilityConfig = path.join(root, 'reliability/vitest.config.ts');
const playwright = path.join(root, 'node_modules/playwright/cli.js');
const ofDay = '@daily';

function tool(file) {
  return path.join(root, 'node_modules', file);
}

function projects(...names) {
  return [vitest, ...names.flatMap((name) => ['--project', name])];
}

const builder = path.join(root, 'scripts/build.mjs');
const build = { title: 'build', args: [builder], isNeeded: true };
/** The build, and the interface as other apps mount it. */
export const buildAll = { ...build, args: [builder, '--mounted'] };

/** They read the sources, and nothing else. */
const readers = [
  { title: 'format', args: [tool('oxfmt/bin/oxfmt'), '--check'] },
  { title: 'lint', args: [tool('oxlint/bin/oxlint'), '--max-warnings=0'] },
  { title: 'types', args: [tool('typescript/bin/tsc'), '-p', root] },
  { title: 'unused code', args: [tool('knip/bin/knip.js')] },
  { title: 'code that serves tests alone', args: [tool('knip/bin/knip.js'), '--production'] },
];
const unitTests = {
  title: 'unit tests',
  args: projects('server', 'server-shared', 'packages', 'components', 'browser'),
};

/** What needs no build, no browser and no database server. */
export const checks = [readers, unitTests];

/** Tests that need the whole server: it is started, attacked, stopped and killed. Without a part, each as long as a night has room for. */
export function reliability(part, filters = []) {
  const args = [vitest, '--config', reliabilityConfig, ...filters];
  return part === undefined
    ? { title: 'reliability, all of it', args }
    : { title: `reliability, ${part}`, args, env: { RELIABILITY: part } };
}

export const daily = [
  [build, ...readers],
  unitTests,
  { title: 'store and writer on PostgreSQL', args: projects('contract') },
  reliability('guard'),
  { title: 'journeys of every day', args: [playwright, 'test', '--grep', ofDay] },
];

const onPostgres = [
  { title: 'unit tests on PostgreSQL', args: projects('postgres', 'own-postgres') },
  reliability('postgres'),
  { title: 'journeys on PostgreSQL', args: [playwright, 'test'], env: { E2E_ENGINE: 'postgres' } },
];

/** What `daily` leaves. */
export const rest = [
  buildAll,
  { title: 'unit tests of benches and scripts, and those that take long', args: projects('slow') },
  reliability('shared'),
  reliability('alone'),
  ...onPostgres,
  { title: 'other journeys', args: [playwright, 'test', '--grep-invert', ofDay] },
];

export const frameworks = {
  title: 'frameworks',
  args: [vitest, '--config', path.join(root, 'reliability/frameworks/vitest.config.ts')],
};

/** What takes minutes for each file. */
export const nightly = [
  reliability(),
  { ...reliability('expensive'), env: { RELIABILITY: 'expensive', EXPENSIVE_MINUTES: '30' } },
  { title: 'the decoder and React’s own clients', args: [path.join(root, 'scripts/compare-with-react.mjs')] },
];
