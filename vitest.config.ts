import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

import { postgresFiles } from './e2e/postgres/files.ts';

const shared = {
  resolve: {
    alias: {
      // The build enforces `server-only`. Here it is only an import that must resolve.
      'server-only': new URL('./e2e/empty.ts', import.meta.url).pathname,
      'virtual:flight-recorder/options': new URL('./e2e/waku-options.ts', import.meta.url).pathname,
    },
  },
};

export default defineConfig({
  test: {
    projects: [
      {
        ...shared,
        test: {
          name: 'server',
          // Vitest sets it to Vite's base. In this app it is the operator's setting for the server's public address.
          env: { BASE_URL: '' },
          environment: 'node',
          include: ['{src,packages,bench,scripts,e2e}/**/*.test.{ts,mjs}'],
          exclude: ['src/{store,recorder/writer}/postgres/**', '**/*.postgres.test.ts'],
          // Not a measure of speed: both engines' tests share the two cores of a small machine.
          testTimeout: 20_000,
          hookTimeout: 30_000,
          setupFiles: ['./e2e/fail-on-console.ts'],
        },
      },
      {
        ...shared,
        test: {
          name: 'postgres',
          env: { BASE_URL: '', TESTED_ENGINE: 'postgres' },
          // A statement is a round trip to another process, and both cores of a small machine are in use.
          testTimeout: 60_000,
          hookTimeout: 30_000,
          environment: 'node',
          include: postgresFiles,
          globalSetup: ['./e2e/postgres/start-server.ts'],
          setupFiles: ['./e2e/fail-on-console.ts', './e2e/postgres/use-postgres.ts', './e2e/postgres/use-flights.ts'],
        },
      },
      {
        ...shared,
        plugins: [react()],
        test: {
          name: 'browser',
          environment: 'happy-dom',
          include: ['src/**/*.test.tsx'],
          setupFiles: ['./e2e/fail-on-console.ts'],
        },
      },
    ],
  },
});
