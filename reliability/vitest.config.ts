import { defineConfig } from 'vitest/config';

/** Against the build. One file at a time: what one does to memory and processors is what another measures. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: [process.env['RELIABILITY'] === 'quick' ? '*.test.ts' : '*.{test,nightly}.ts'],
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
