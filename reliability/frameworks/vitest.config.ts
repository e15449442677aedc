import path from 'node:path';

import { defineConfig } from 'vitest/config';

/** Installs and builds each app: minutes, and the network. So it is no part of `npm test`. */
export default defineConfig({
  // The build enforces `server-only`. Here it is only an import that must resolve.
  resolve: { alias: { 'server-only': path.join(import.meta.dirname, '../../e2e/testing/empty.ts') } },
  test: { root: import.meta.dirname, include: ['*.nightly.ts'], fileParallelism: false, globalSetup: ['keep-apps.ts'] },
});
