import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { root } from './prepare.mjs';
import { writeStageResults } from './stage-results.mjs';

/**
 * Runs Vitest with the arguments of this process. In CI the files that failed are run once more, and are named: many tests start
 * processes and browsers, and a small machine has moments. One that fails twice has failed. A journey is tried again in the same
 * way (playwright.config.ts). On one's own machine nothing is run again: there one wants to see it.
 */

/** Where more fail, the machine is not the cause. */
const mostRunAgain = 3;

/** @returns the status, and what the reporter wrote: none where Vitest ended before */
function run(args, file) {
  return new Promise((resolve, reject) => {
    const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
    const reporter = path.join(import.meta.dirname, 'vitest-reporter.mjs');
    spawn(process.execPath, [vitest, 'run', ...args, '--reporter=default', `--reporter=${reporter}`], {
      stdio: 'inherit',
      env: { ...process.env, VITEST_RESULTS: file },
    })
      .once('error', reject)
      .once('exit', (status) => {
        const results = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
        rmSync(file, { force: true });
        resolve({ status: status ?? 1, results });
      });
  });
}

function isBad({ wasKilled, failures }) {
  return wasKilled || failures.length > 0;
}

/** None where an error happened outside of every test: no file is then known to be its cause. A killed file leaves one such error. */
function listToRunAgain({ status, results }) {
  if (status === 0 || results === undefined) return [];
  const failed = results.files.filter(isBad);
  const killed = failed.filter(({ wasKilled }) => wasKilled);
  return results.outside.length <= killed.length ? [...new Set(failed.map(({ file }) => file))] : [];
}

function tell(files, outside, retried) {
  const sum = (part) => files.reduce((total, one) => total + one[part], 0);
  writeStageResults({
    passed: sum('passed'),
    skipped: sum('skipped'),
    failures: [...files.flatMap(({ failures }) => failures), ...outside],
    retried,
  });
}

async function runAll(args, file) {
  const first = await run(args, file);
  const again = process.env.CI ? listToRunAgain(first) : [];
  const { files = [], outside = [] } = first.results ?? {};
  if (again.length === 0 || again.length > mostRunAgain) {
    if (first.results) tell(files, outside, []);
    return first.status;
  }
  console.log(
    ['\nRun once more, because they failed:', ...again.map((name) => path.relative(root, name))].join('\n  '),
  );
  const second = await run([...args, ...again], file);
  if (second.results) {
    const kept = files.filter((one) => !again.includes(one.file));
    const hasPassed = ({ file: name }) => second.results.files.every((one) => one.file !== name || !isBad(one));
    const retried = files.filter((one) => again.includes(one.file) && hasPassed(one)).flatMap(describeRetried);
    tell([...kept, ...second.results.files], second.results.outside, retried);
  }
  return second.status;
}

function describeRetried({ file, failures }) {
  return failures.length > 0
    ? failures
    : [{ file: path.relative(root, file), name: '', message: 'its process was killed' }];
}

const folder = mkdtempSync(path.join(tmpdir(), 'flight-recorder-vitest-'));
try {
  process.exitCode = await runAll(process.argv.slice(2), path.join(folder, 'results.json'));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
