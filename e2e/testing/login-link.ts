import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

const root = path.join(import.meta.dirname, '../..');

/** The cookies of a person who is signed in. sign-in.setup.ts writes them for every journey. */
export const operatorState = path.join(root, 'test-results', 'operator.json');

/** Runs the operator's command line on the data folder of the server under test, and returns what it prints. */
export async function runOperator(...args: readonly string[]): Promise<string> {
  const data = process.env['E2E_DATA'];
  if (!data) throw new Error('E2E_DATA is not set; playwright.config.ts sets it');
  const { stdout } = await promisify(execFile)(process.execPath, [path.join(root, 'dist/command.js'), ...args], {
    env: { ...process.env, FLIGHT_DATA: data },
  });
  return stdout;
}

/** A fresh login link of the server under test. */
export async function createLoginLink(): Promise<URL> {
  return new URL((await runOperator('login-link')).trim());
}
