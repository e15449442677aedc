import { tmpdir } from 'node:os';
import path from 'node:path';

import { defineConfig } from 'playwright/test';

import { operatorState } from './e2e/testing/login-link.ts';
import { serverVariable } from './reliability/testing/databases.ts';
import { findInstalledBrowser } from './scripts/find-browser.mjs';
import { startPostgres } from './scripts/start-postgres.mjs';

const port = Number(process.env.E2E_PORT ?? 4173);
const executablePath = findInstalledBrowser();
/** The process that starts the server sets it. The workers read this file again and inherit it. */
const data = (process.env['E2E_DATA'] ??= path.join(tmpdir(), `flight-recorder-e2e-${process.pid}`));

/** The journeys that store or read something. `E2E_ENGINE=postgres` runs them, with the store on PostgreSQL. */
const storing =
  /(?:alerts|api-tokens|app-errors|apps|browsed-apps|browser-reports|builds|digest|errors|fault-page|faults-list|flight-list|flight-page|flights|home|hostile|lab-flights|login|one-file|record-everything|reporting|runtime-page|scrubbing|sentry-browser|source-maps)\.spec\.ts$/;

/** The first process starts PostgreSQL, and it ends with that process. */
const isOnPostgres = process.env['E2E_ENGINE'] === 'postgres';
if (isOnPostgres) {
  process.env['DATABASE_URL'] ??= (await startPostgres()).url;
  // Journeys that start a server of their own get a database of its own there.
  process.env[serverVariable] ??= process.env['DATABASE_URL'];
}

/** Runs against the production build, which must exist: `npm test` builds it first. */
export default defineConfig({
  testDir: './e2e',
  projects: [
    { name: 'sign-in', testMatch: 'sign-in.setup.ts' },
    {
      name: 'journeys',
      testMatch: isOnPostgres ? storing : '*.spec.ts',
      dependencies: ['sign-in'],
      use: { storageState: operatorState },
    },
  ],
  outputDir: './test-results',
  fullyParallel: true,
  workers: 2,
  forbidOnly: Boolean(process.env.CI),
  reporter: process.env['STAGE_RESULTS'] ? [['list'], ['./scripts/playwright-reporter.mjs']] : [['list']],
  // A busy machine must not fail a journey: a slow result gets time, and differs from one that never comes.
  timeout: 60_000,
  expect: { timeout: 20_000 },
  retries: process.env.CI ? 1 : 0,
  use: {
    baseURL: `http://127.0.0.1:${port}`,
    // A recording costs each journey time. In CI what failed is tried again, and then it is recorded.
    trace: process.env.CI ? 'on-first-retry' : 'retain-on-failure',
    launchOptions: {
      ...(executablePath ? { executablePath } : {}),
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
      ],
    },
  },
  webServer: {
    command: `"${process.execPath}" dist/serve-node.js`,
    url: `http://127.0.0.1:${port}/healthz`,
    reuseExistingServer: false,
    // Most journeys break something on purpose. E2E_LOG=1 shows what the server says about it.
    stdout: process.env.E2E_LOG ? 'pipe' : 'ignore',
    stderr: process.env.E2E_LOG ? 'pipe' : 'ignore',
    env: {
      PORT: String(port),
      HOST: '127.0.0.1',
      FLIGHT_DATA: data,
    },
  },
});
