import { execFileSync, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { root } from './prepare.mjs';

/**
 * `node scripts/compare-with-react.mjs [<seed>]`: what React's own servers and clients make of random values, and of their
 * text in other spellings, beside what the decoder makes of it: each line that is installed, and the newest canary when the
 * registry has it at this moment. Each run has a new seed, which is printed, and with which it can be repeated.
 */

/** Of each property: a quarter of an hour, for which a night has room. */
const runs = process.env.FLIGHT_RUNS ?? '20000';

const packages = ['react', 'react-dom', 'react-server-dom-webpack'];

/** Long enough for a slow registry, and no more: the comparison with the lines does not need it. */
const installMs = 120_000;

function npm(args, cwd) {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', timeout: installMs, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** `19.3.0-canary-dc9aed36-20261027`: the last part is its day. */
function findNewestCanary(cwd) {
  const versions = JSON.parse(npm(['view', 'react-server-dom-webpack', 'versions', '--json'], cwd));
  const canaries = versions.filter((version) => /^\d+\.\d+\.\d+-canary-[0-9a-f]+-\d{8}$/.test(version));
  return canaries.toSorted((a, b) => a.slice(-8).localeCompare(b.slice(-8))).at(-1);
}

/** @returns whether it is there; says why not */
function installCanary(folder) {
  try {
    const version = findNewestCanary(folder);
    if (version === undefined) throw new Error('the registry lists none');
    writeFileSync(path.join(folder, 'package.json'), '{"private":true}');
    const wanted = packages.map((name) => `${name}@${version}`);
    npm(['install', '--ignore-scripts', '--no-audit', '--no-fund', '--legacy-peer-deps', ...wanted], folder);
    console.log(`Compared with the canary ${version}, too.`);
    return true;
  } catch (error) {
    const reason = String(error?.stderr || error?.message || error).trim();
    console.log(`No canary is compared, because none can be installed: ${reason.split('\n')[0]}`);
    return false;
  }
}

function compare(env) {
  const files = ['responses', 'replies', 'judged', 'forms', 'spellings', 'damage'].map(
    (name) => `packages/flight/src/testing/differential/${name}.test.ts`,
  );
  const args = [path.join(root, 'scripts/vitest.mjs'), '--project', 'packages', ...files];
  return new Promise((resolve, reject) => {
    spawn(process.execPath, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } })
      .once('error', reject)
      .once('exit', (status) => resolve(status ?? 1));
  });
}

const seed = process.argv[2] ?? String(randomInt(2 ** 31));
if (!/^\d{1,10}$/.test(seed)) throw new Error(`a seed is a whole number, and not ${seed}`);
console.log(`Seed ${seed}, ${runs} runs of each.`);
const folder = mkdtempSync(path.join(tmpdir(), 'flight-canary-'));
try {
  const canary = installCanary(folder) ? { FLIGHT_CANARY: folder } : {};
  process.exitCode = await compare({ FLIGHT_SEED: seed, FLIGHT_RUNS: runs, ...canary });
  if (process.exitCode !== 0) {
    console.error(`\nTo repeat this run: FLIGHT_RUNS=${runs} node scripts/compare-with-react.mjs ${seed}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
