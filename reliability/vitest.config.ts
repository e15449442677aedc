import { globSync } from 'node:fs';

import { defineConfig } from 'vitest/config';

/**
 * Runs against the build. `RELIABILITY` names what is run (scripts/stages.mjs). Without it, all files are run, and each test that repeats
 * something does so longer.
 */

/** What guards daily work: kills, digests kept, strangers, access, the proxy's bytes. */
const guard = [
  'access',
  'untrusted',
  'digest-kept',
  'error-shape',
  'kill',
  'malformed',
  'proxy-forwarding',
  'start',
  'strangers',
];

/** They measure memory, processor time or waiting, or serve development. Another file beside them would change what they see. */
const alone = [
  'dev',
  'dev-start',
  'disk-full',
  'expensive-requests',
  'lab-dev',
  'lab-saves',
  'proxy-limits',
  'sent-ahead',
];

/** What is stored through a whole process: these run a second time on PostgreSQL. */
const storing = ['kill', 'digest-kept', 'login', 'ready', 'drain', 'reports-against-errors', 'request-breadcrumbs'];

function listFiles(names: readonly string[]): string[] {
  return names.map((name) => `${name}.test.ts`);
}

const sideBySide = { fileParallelism: true, maxWorkers: '100%' };
const inTurn = { fileParallelism: false };

function readPart() {
  switch (process.env['RELIABILITY']) {
    case 'guard':
      return { ...sideBySide, include: listFiles(guard) };
    case 'shared':
      return { ...sideBySide, include: ['*.test.ts'], exclude: listFiles([...guard, ...alone]) };
    case 'alone':
      return { ...inTurn, include: listFiles(alone) };
    case 'postgres':
      return { ...sideBySide, include: listFiles(storing), globalSetup: ['./testing/start-postgres-server.ts'] };
    case 'expensive':
      return { ...inTurn, include: listFiles(['expensive-requests']) };
    default:
      return { ...inTurn, include: ['*.{test,nightly}.ts'] };
  }
}

for (const name of [...guard, ...alone, ...storing]) {
  const found = globSync(`${name}.test.ts`, { cwd: import.meta.dirname });
  if (found.length === 0) throw new Error(`reliability/vitest.config.ts: there is no ${name}.test.ts`);
}

export default defineConfig({
  test: {
    root: import.meta.dirname,
    // Processes are started, and both cores of a small machine are in use.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    ...readPart(),
  },
});
