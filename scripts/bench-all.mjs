import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';

import { root } from './prepare.mjs';

/**
 * `npm run bench all`: each benchmark, one after another, and the guide of figures with what they printed. A figure stands there with its
 * machine and its command. Half an hour on a machine that does nothing else; with other work its figures say nothing. `npm run bench all
 * -- recorder proxy`: these alone, and the others stay as they were measured.
 */
const benches = [
  ['Pages: this host beside plain Waku', 'runtime', '--rounds', '5', '--seconds', '2'],
  ['Pages with and without recording', 'recorder', '--rounds', '5', '--seconds', '2'],
  ['The plugin in a Waku app', 'waku', '--rounds', '5', '--seconds', '2'],
  ['The proxy beside undici', 'proxy', '--rounds', '5', '--seconds', '2'],
  ['The proxy before a Next.js app', 'proxy', '--next', '--rounds', '5', '--seconds', '3'],
  ['The proxy with the browser’s module', 'browser', '--rounds', '3', '--loads', '5'],
  ['Reports of errors, until they are on the disk', 'reports', '--rounds', '1', '--reports', '2000'],
  ['The decoder beside React’s client', 'decode'],
  ['The viewer with a flight of 5 MB', 'viewer', '--rounds', '2', '--megabytes', '5'],
  ['The guard, for each call', 'judge'],
  ['Digests of deleted errors', 'past-digests', '--digests', '100000'],
  ['Growth', 'scale', '--part', 'growth', '--errors', '10000,100000', '--flights', '100000'],
  ['Several servers on one PostgreSQL', 'scale', '--part', 'ingest'],
  ['Memory, by flags', 'memory', '--rounds', '1', '--seconds', '8'],
  ['Merging and splitting a fault of 20,000 rows', 'fault-moves'],
];

/** @returns what it printed, and last how it ended, where that was not well: the others are measured all the same */
async function run(node, name, options) {
  const child = spawn(node, [path.join(root, 'bench', `${name}.ts`), ...options], {
    cwd: root,
    env: { ...process.env, NODE_ENV: 'production', NO_COLOR: '1', FORCE_COLOR: undefined },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const chunks = [];
  child.stdout.on('data', (chunk) => {
    process.stdout.write(chunk);
    chunks.push(chunk);
  });
  const [code] = await new Promise((resolve) => child.on('close', (...ended) => resolve(ended)));
  const printed = stripVTControlCharacters(Buffer.concat(chunks).toString('utf8')).trim();
  return code === 0 ? printed : `${printed}\n(it ended with ${code})`.trim();
}

function describeMachine(node) {
  const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
  const [first] = cpus();
  const memory = Math.round(totalmem() / 1024 ** 3);
  const date = new Date().toISOString().slice(0, 10);
  return `${date}, ${cpus().length} processors (${first?.model.trim() || 'unnamed'}), ${memory} GiB, Node ${version}, commit ${commit}`;
}

const guide = path.join(root, 'docs', 'figures.md');
const head = `# Figures

What \`npm run bench all\` printed last; each part says when, where and of which commit. Ratios are of one run on one machine; other machines
differ by three in what a second holds.
`;

/** @returns the parts as they stand in the guide, by title */
function readParts() {
  const [, ...parts] = readFileSync(guide, 'utf8').split(/^## /m);
  return new Map(parts.map((part) => [part.slice(0, part.indexOf('\n')), `## ${part.trim()}\n`]));
}

/** @param only names of benchmarks; empty: all */
export async function benchAll(node, only) {
  const machine = describeMachine(node);
  const known = readParts();
  for (const [title, name, ...options] of benches) {
    if (only.length > 0 && !only.includes(name)) continue;
    console.log(`\n## ${title}\n`);
    const typed = options.length > 0 ? `${name} -- ${options.join(' ')}` : name;
    const printed = await run(node, name, options);
    known.set(title, `## ${title}\n\n\`npm run bench ${typed}\`: ${machine}.\n\n\`\`\`text\n${printed}\n\`\`\`\n`);
  }
  const parts = benches.flatMap(([title]) => known.get(title) ?? []);
  writeFileSync(guide, [head, ...parts].join('\n'));
}
