import { defineConfig } from 'vitest/config';

/** Installs and builds each app: minutes, and the network. So it is no part of `npm test`. */
export default defineConfig({
  test: { root: import.meta.dirname, include: ['*.nightly.ts'], fileParallelism: false },
});
