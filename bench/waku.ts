import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { createApp, packRecorder, type WakuApp } from '../reliability/testing/waku-app.ts';
import { findFreePort, runServer, type RunningApp } from './fixture-app.ts';
import { median, ratio, show, takeSample, type Sample } from './samples.ts';

/**
 * `flight-recorder/waku` in an app of its own, compared with the same app and plain Waku: `npm run bench waku`, after a build. The
 * packed plugin is on with all of its parts, once with `RECORD=off` and once with everything recorded. The three run side by side
 * and are measured in turn. The goal is 1.8 times the requests on the dynamic document: our renderer comes along.
 *
 * CPU time for each request stands beside the requests, because on a machine with other work it says more: of the thread that
 * serves, and of the process with its threads and the interface that it has started.
 */
const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    seconds: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
  },
});
const rounds = Number(flags.rounds);
const seconds = Number(flags.seconds);
const warmUpSeconds = 10;
const connections = 16;

function readFixture(name: string): string {
  return readFileSync(path.join(import.meta.dirname, 'fixture/src', name), 'utf8');
}

/** The page that `npm run bench runtime` measures. */
const pageFiles = {
  'src/pages/rows.tsx': readFixture('pages/index.tsx'),
  'src/components/row-list.tsx': readFixture('components/row-list.tsx'),
  'src/components/counter.tsx': readFixture('components/counter.tsx'),
};

const plainFiles = {
  'waku.config.ts': `import { defineConfig } from 'waku/config';\nexport default defineConfig({});`,
  'src/pages/_layout.tsx': `
import type { ReactNode } from 'react';
import { Link } from 'waku';
export default function Layout({ children }: { children: ReactNode }) {
  return <div><nav><Link to="/">Home</Link></nav>{children}</div>;
}
export const getConfig = async () => ({ render: 'static' }) as const;`,
};

const scenarios = [
  { title: 'dynamic document, 100 rows', path: '/rows?n=00000000' },
  { title: 'its navigation payload', path: '/RSC/R/rows.txt?query=n%3D00000000' },
  { title: 'prerendered document', path: '/' },
] as const;

type Side = { readonly name: string; readonly running: RunningApp };

async function start(app: WakuApp, name: string, record: string): Promise<Side> {
  const port = await findFreePort();
  const data = path.join(app.folder, `data-${record}`);
  const env = { ...process.env, NODE_ENV: 'production', RECORD: record, FLIGHT_DATA: data, FLIGHT_OPEN: '0' };
  const running = await runServer(['dist/serve-node.js'], { port, cwd: app.folder, env, readyPath: '/rows' });
  return { name, running };
}

function load({ name, running }: Side, title: string, target: string, duration: number): Promise<Sample> {
  const { host, port } = new URL(running.origin);
  const request = `GET ${target} HTTP/1.1\r\nhost: ${host}\r\n\r\n`;
  return takeSample(running.pid, `${title}, ${name}`, { port: Number(port), request, connections, seconds: duration });
}

function describe(own: readonly Sample[], plain: readonly Sample[]): Record<string, string> {
  const reads = {
    'requests/s': (sample: Sample) => sample.perSecond,
    'serving thread, ms': (sample: Sample) => sample.servingMs ?? Number.NaN,
    'process, ms': (sample: Sample) => sample.cpuMs ?? Number.NaN,
    'all processes, ms': (sample: Sample) => sample.treeMs ?? Number.NaN,
  };
  const columns = Object.entries(reads).flatMap(([title, read]) => {
    const isRate = title === 'requests/s';
    const times = isRate ? ratio(own, plain, read) : 1 / ratio(own, plain, read);
    return [
      [title, show(median(own.map(read)), isRate ? 0 : 3)],
      [isRate ? '× plain' : `${title.split(',')[0]}: × less`, show(times, 2)],
    ];
  });
  return Object.fromEntries(columns);
}

async function compare(sides: readonly Side[], { title, path: target }: (typeof scenarios)[number]): Promise<void> {
  for (const side of sides) await load(side, title, target, warmUpSeconds);
  const samples = new Map<Side, Sample[]>(sides.map((side) => [side, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const side of sides) samples.get(side)?.push(await load(side, title, target, seconds));
  }
  const [plain = []] = samples.values();
  console.log(`\n${title}`);
  console.table(Object.fromEntries([...samples].map(([{ name }, own]) => [name, describe(own, plain)])));
}

console.log('Packing Flight Recorder, and building the two apps …');
const tarball = packRecorder();
const apps = [
  createApp({ tarball, files: { ...pageFiles, ...plainFiles } }),
  createApp({ tarball, files: pageFiles }),
] as const;
const sides: Side[] = [];
try {
  for (const app of apps) app.build();
  sides.push(await start(apps[0], 'plain Waku', 'off'));
  sides.push(await start(apps[1], 'with it, RECORD=off', 'off'));
  sides.push(await start(apps[1], 'with it, RECORD=all', 'all'));
  console.log(`${rounds} rounds of ${seconds} s each in turn, ${connections} connections, Node ${process.version}`);
  for (const scenario of scenarios) {
    if (scenario.title.includes(flags.only)) await compare(sides, scenario);
  }
} finally {
  await Promise.all(sides.map(({ running }) => running.stop()));
  for (const app of apps) app.remove();
  rmSync(path.dirname(tarball), { recursive: true });
}
