import { globSync, readFileSync } from 'node:fs';

import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

import { contractFiles, ownPostgresFiles, postgresFiles } from './e2e/testing/postgres/files.ts';

const shared = {
  resolve: {
    alias: {
      // The build enforces `server-only`. Here it is only an import that must resolve.
      'server-only': new URL('./e2e/testing/empty.ts', import.meta.url).pathname,
      'virtual:flight-recorder/options': new URL('./e2e/testing/waku-options.ts', import.meta.url).pathname,
    },
  },
};

/** It measures the memory of its own process. */
const memoryTest = 'packages/flight/src/testing/differential/memory.test.ts';

/** What guards benches and scripts, compares processor time, or starts a process or a thread for each of its tests. */
const slowFiles = [
  'bench/**/*.test.ts',
  'scripts/vitest.test.mjs',
  'src/faults/receive/text-budget-cost.test.ts',
  'src/faults/source-maps/ask-maps.test.ts',
  'src/flights/watch/start-watch.test.ts',
  memoryTest,
];

const root = import.meta.dirname;

function listTests(patterns: readonly string[], exclude: readonly string[]): readonly string[] {
  return globSync([...patterns], { cwd: root, exclude: [...exclude, '**/node_modules/**'] }).toSorted();
}

/**
 * What the text of a test says when it changes its process for those that come after it (mocks of modules, of timers and globals, threads,
 * signals), or listens to what the process writes, where a timer of another file may write, too. Each such file gets a process of its own.
 * The others share some, which spares the start and the imports of each: what they set (the environment, a data folder) they take back.
 */
const changesProcess =
  /\bvi\.(?:mock|doMock|hoisted|resetModules|useFakeTimers|setSystemTime|stubGlobal)\b|useRecorder|startRecorder|stderr|stdout|Worker|spawn|fork\(|\bprocess\.(?:on|once|emit|kill|chdir|umask|exitCode)\b/;

/** What the text of a component's test says when it needs a document. */
const needsDocument = /\b(?:document|window|navigator|location|\w+Storage|createRoot|hydrateRoot|act)\b|HTML\w*Element/;

function rendersToText(text: string): boolean {
  return text.includes('react-dom/server') && !needsDocument.test(text) && !changesProcess.test(text);
}

function readTest(file: string): string {
  return readFileSync(new URL(file, import.meta.url), 'utf8');
}

/** Not a measure of speed: both cores of a small machine are in use. */
const patient = {
  testTimeout: 20_000,
  hookTimeout: 30_000,
  expect: { poll: { timeout: 15_000 } },
  setupFiles: ['./e2e/testing/fail-on-console.ts', './e2e/testing/wait-patiently.ts'],
};

const onServer = {
  ...patient,
  // Vitest sets it to Vite's base. In this app it is the operator's setting for the server's public address.
  env: { BASE_URL: '' },
  environment: 'node' as const,
};

const onPostgres = {
  ...onServer,
  env: { ...onServer.env, TESTED_ENGINE: 'postgres' },
  // A statement is a round trip to another process.
  testTimeout: 60_000,
  globalSetup: ['./e2e/testing/postgres/start-server.ts'],
  setupFiles: [
    ...patient.setupFiles,
    './e2e/testing/postgres/use-postgres.ts',
    './e2e/testing/postgres/use-flights.ts',
  ],
};

const serverFiles = listTests(
  ['{src,scripts,e2e}/**/*.test.{ts,mjs}', 'packages/{viewer,inspect,report,boundary}/**/*.test.ts'],
  ['src/{store,flights/writer}/postgres/**', '**/*.postgres.test.ts', ...ownPostgresFiles, ...slowFiles],
);
const componentFiles = listTests(['{src,packages}/**/*.test.tsx'], []);

/** `npm test` runs all but `slow`, `postgres` and `own-postgres`; scripts/stages.mjs says which stage runs which. */
export default defineConfig({
  test: {
    // Without it Vitest leaves one core to the person who watches.
    maxWorkers: '100%',
    projects: [
      {
        ...shared,
        test: {
          ...onServer,
          name: 'server',
          include: serverFiles.filter((file) => changesProcess.test(readTest(file))),
        },
      },
      {
        ...shared,
        test: {
          ...onServer,
          name: 'server-shared',
          include: serverFiles.filter((file) => !changesProcess.test(readTest(file))),
          isolate: false,
        },
      },
      { ...shared, test: { ...onServer, name: 'slow', include: slowFiles } },
      {
        ...shared,
        // The decoder has no state of a process, so its files share one.
        test: {
          ...onServer,
          name: 'packages',
          include: ['packages/flight/**/*.test.ts'],
          exclude: [memoryTest],
          isolate: false,
        },
      },
      {
        ...shared,
        plugins: [react()],
        test: {
          ...patient,
          name: 'browser',
          environment: 'happy-dom',
          include: componentFiles.filter((file) => !rendersToText(readTest(file))),
        },
      },
      {
        ...shared,
        plugins: [react()],
        test: {
          ...onServer,
          name: 'components',
          include: componentFiles.filter((file) => rendersToText(readTest(file))),
          isolate: false,
        },
      },
      { ...shared, test: { ...onPostgres, name: 'contract', include: contractFiles } },
      { ...shared, test: { ...onPostgres, name: 'postgres', include: postgresFiles } },
      { ...shared, test: { ...onServer, name: 'own-postgres', include: ownPostgresFiles } },
    ],
  },
});
