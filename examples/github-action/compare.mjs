// Compares the two that start-app.mjs has started, and stops them. Never fails for a limit: the comment is written first.
import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const { ROUTES, MAX_GROWTH, NO_SECRETS, BUDGET, RUNNER_TEMP = '.' } = process.env;
const { GITHUB_OUTPUT, GITHUB_STEP_SUMMARY } = process.env;

/** Of the clone that this action came with: it installs and builds what it needs. */
const command = path.join(import.meta.dirname, '../../bin/flight-recorder.mjs');

const options = [
  ...(ROUTES ? ['--routes', ROUTES] : []),
  ...(MAX_GROWTH ? ['--max-growth', MAX_GROWTH] : []),
  ...(NO_SECRETS === 'true' ? ['--no-secrets'] : []),
  ...(BUDGET ? ['--budget', path.join('head', BUDGET)] : []),
];
const apps = ['base', 'head'].map((side) => JSON.parse(readFileSync(path.join(RUNNER_TEMP, `${side}.json`), 'utf8')));
const addresses = apps.map(({ address }) => address);
const words = [command, 'compare', '--markdown', '--html', 'payloads.html', ...options, ...addresses];
const { status, stdout } = spawnSync(process.execPath, words, {
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'inherit'],
  maxBuffer: 1024 * 1024,
});

for (const { pid } of apps) {
  try {
    process.kill(-pid, 'SIGTERM');
  } catch {
    // It has ended by itself.
  }
}

if (status !== 0 && status !== 1) {
  console.error('::error::The two could not be compared; the lines above say why.');
  process.exit(1);
}
// Written for two addresses of this machine, which say nothing to a reader.
const text = stdout.replace(addresses[0], 'the base').replace(addresses[1], 'this pull request');
writeFileSync('payloads.md', text);
if (GITHUB_STEP_SUMMARY) appendFileSync(GITHUB_STEP_SUMMARY, text);
if (GITHUB_OUTPUT) appendFileSync(GITHUB_OUTPUT, `status=${status}\n`);
