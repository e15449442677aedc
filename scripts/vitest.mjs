import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { root } from './prepare.mjs';

/**
 * Runs Vitest with the arguments of this process. In CI the files that failed are run once more, and are named: many tests start
 * processes and browsers, and a small machine has moments. One that fails twice has failed. A journey is tried again in the same
 * way (playwright.config.ts). On one's own machine nothing is run again: there one wants to see it.
 */

/** Where more fail, the machine is not the cause. */
const mostRunAgain = 3;

function run(args, variables = {}) {
  return new Promise((resolve, reject) => {
    const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
    const env = { ...process.env, ...variables };
    spawn(process.execPath, [vitest, 'run', ...args], { stdio: 'inherit', env })
      .once('error', reject)
      .once('exit', (status) => resolve(status ?? 1));
  });
}

/** @returns none where Vitest ended before it could write them */
function readFailedFiles(file) {
  return existsSync(file) ? [...new Set(JSON.parse(readFileSync(file, 'utf8')))] : [];
}

async function runInCi(args) {
  const folder = mkdtempSync(path.join(tmpdir(), 'flight-recorder-vitest-'));
  try {
    const file = path.join(folder, 'failed.json');
    const reporter = path.join(import.meta.dirname, 'failed-files-reporter.mjs');
    const status = await run([...args, '--reporter=default', `--reporter=${reporter}`], { FAILED_FILES: file });
    const failed = status === 0 ? [] : readFailedFiles(file);
    if (failed.length === 0 || failed.length > mostRunAgain) return status;
    const names = failed.map((name) => path.relative(root, name));
    console.log(['\nRun once more, because they failed:', ...names].join('\n  '));
    return await run([...args, ...failed]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const args = process.argv.slice(2);
process.exitCode = await (process.env.CI ? runInCi(args) : run(args));
