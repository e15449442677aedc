import { defineConfig } from 'vitest/config';

/**
 * Runs against the build. One file at a time: the memory and processor use of one file would change what another
 * measures.
 */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: [process.env['RELIABILITY'] === 'quick' ? '*.test.ts' : '*.{test,nightly}.ts'],
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
