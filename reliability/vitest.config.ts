import { defineConfig } from 'vitest/config';

/** What is stored through a whole process: these run a second time with `RELIABILITY_ENGINE=postgres`. */
const storing = ['kill', 'digest-kept', 'login', 'ready', 'drain', 'reports-against-errors', 'request-breadcrumbs'];
const onPostgres = {
  include: storing.map((name) => `${name}.test.ts`),
  globalSetup: ['./start-postgres-server.ts'],
};
const all = { include: [process.env['RELIABILITY'] === 'quick' ? '*.test.ts' : '*.{test,nightly}.ts'] };

/**
 * Runs against the build. One file at a time: the memory and processor use of one file would change what another
 * measures.
 */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    ...(process.env['RELIABILITY_ENGINE'] === 'postgres' ? onPostgres : all),
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
