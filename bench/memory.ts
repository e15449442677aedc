import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { startMainApp, toWire, type MainApp } from './main-app.ts';
import { readPeakRss, readRss } from './process-usage.ts';
import { median, show, takeSample } from './samples.ts';

/**
 * What the memory flags of docs/scale.md save and cost: `npm run bench memory`. Each setup gets new servers, in turn.
 * One number is the median over rounds. Twenty clients, each with its connection, request different pages without a
 * pause, which is far more than twenty people do.
 */
const { values: flags } = parseArgs({
  options: { rounds: { type: 'string', default: '3' }, seconds: { type: 'string', default: '15' } },
});
const rounds = Number(flags.rounds);
const seconds = Number(flags.seconds);
const root = path.join(import.meta.dirname, '..');
/** After this time, the start's garbage is collected and none of its work still runs. */
const idleMs = 5_000;
const connectionsEach = 5;
const targets = ['/', '/runtime', '/RSC/R/_root.txt', '/lab/actions'];

type Setup = { readonly env: Readonly<Record<string, string>>; readonly nodeOptions: readonly string[] };

const fewArenas = { MALLOC_ARENA_MAX: '2' };
const smallHeap = ['--max-old-space-size=128', '--max-semi-space-size=4'];

const setups: readonly Setup[] = [
  { env: {}, nodeOptions: [] },
  { env: {}, nodeOptions: smallHeap },
  { env: fewArenas, nodeOptions: smallHeap },
  { env: fewArenas, nodeOptions: [...smallHeap, '--optimize-for-size'] },
];

function nameSetup({ env, nodeOptions }: Setup): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return [...variables, ...nodeOptions].join(' ') || 'none';
}

type Usage = {
  readonly idle: number;
  readonly peak: number;
  readonly after: number;
  readonly perSecond: number;
  readonly p99: number;
};

async function loadAll(app: MainApp): Promise<Pick<Usage, 'perSecond' | 'p99'>> {
  const samples = await Promise.all(
    targets.map((target) => {
      const request = toWire(app, { method: 'GET', path: target });
      return takeSample(app.pid, target, { port: app.port, request, connections: connectionsEach, seconds });
    }),
  );
  return {
    perSecond: samples.reduce((sum, sample) => sum + sample.perSecond, 0),
    p99: Math.max(...samples.map((sample) => sample.p99)),
  };
}

async function measure({ env, nodeOptions }: Setup): Promise<Usage> {
  const app = await startMainApp(root, nodeOptions, env);
  try {
    await wait(idleMs);
    const idle = readRss(app.pid);
    const load = await loadAll(app);
    const peak = readPeakRss(app.pid);
    await wait(idleMs);
    return { idle, peak, after: readRss(app.pid), ...load };
  } finally {
    await app.stop();
  }
}

const usages = setups.map((): Usage[] => []);
for (let round = 0; round < rounds; round += 1) {
  for (const [index, setup] of setups.entries()) usages[index]?.push(await measure(setup));
}
console.log(`${rounds} rounds, ${targets.length * connectionsEach} clients for ${seconds} s, Node ${process.version}`);
console.table(
  Object.fromEntries(
    setups.map((setup, index) => {
      const all = usages[index] ?? [];
      return [
        nameSetup(setup),
        {
          'idle MiB': show(median(all.map((usage) => usage.idle)), 0),
          'peak MiB': show(median(all.map((usage) => usage.peak)), 0),
          'idle again MiB': show(median(all.map((usage) => usage.after)), 0),
          'requests/s': show(median(all.map((usage) => usage.perSecond)), 0),
          'p99 ms': show(median(all.map((usage) => usage.p99)), 0),
        },
      ];
    }),
  ),
);
