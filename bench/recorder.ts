import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs, promisify } from 'node:util';

import { buildFixture, startFixture, type RunningApp } from './fixture-app.ts';
import type { LoadOptions, LoadResult } from './load.ts';
import { compareLooking } from './looking.ts';
import { readCpuSeconds, readRss, readServingSeconds } from './process-usage.ts';
import { readActionFile } from './read-action-file.ts';

/**
 * What recording costs: one build, run twice, with `RECORD=all` and `RECORD=off`, measured in turn. The goals: a
 * throughput of at least 0.97 (0.95 for prerendered pages) and a p99 of at most 1.05, relative to the run without
 * recording. Where a scenario says so, every request is for another page: identical bodies are kept once, which would
 * improve the result. Each scenario has a pair of servers of its own: what a server has recorded before slows it.
 *
 * The writer has its own thread. On a machine with two processors it shares one of them with the load generator, which
 * then sends less: `of it serving` is what recording takes from the pages themselves.
 *
 * Before it: what looking for secrets costs the writer (looking.ts), which `--only looking` measures alone.
 */
const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    seconds: { type: 'string', default: '3' },
    only: { type: 'string' },
  },
});
const rounds = Number(flags.rounds);
const seconds = Number(flags.seconds);
/** The compilers work for some ten seconds, and longer with the recorder's code. */
const warmUpSeconds = 12;
const connections = 16;
/** What arrives faster than it can be written is counted and left out. */
const leastRecorded = 0.2;

type App = { readonly name: 'on' | 'off'; readonly running: RunningApp; readonly folder: string };
type Pair = { readonly on: App; readonly off: App };
type Sample = LoadResult & { readonly perSecond: number; readonly cpuMs: number; readonly servingMs: number };
type Scenario = { readonly title: string; readonly request: string; readonly goal?: number };

const usualGoal = 0.97;

function listScenarios(): Scenario[] {
  const dist = path.join(import.meta.dirname, 'fixture/dist/recorded');
  const call = `x-flight-action: ${readActionFile(dist, 'increment')}/increment\r\ncontent-type: text/plain\r\ncontent-length: 4\r\norigin: http://HOST`;
  return [
    {
      title: 'dynamic document, 100 rows, each another',
      request: 'GET /rows?n=00000000 HTTP/1.1\r\nhost: HOST\r\n\r\n',
    },
    { title: 'the same document again', request: 'GET /rows HTTP/1.1\r\nhost: HOST\r\n\r\n' },
    {
      title: 'navigation payload, each another',
      request: 'GET /RSC/R/rows.txt?query=n%3D00000000 HTTP/1.1\r\nhost: HOST\r\n\r\n',
    },
    { title: 'static document', request: 'GET /static HTTP/1.1\r\nhost: HOST\r\n\r\n', goal: 0.95 },
    { title: 'server action', request: `POST /action HTTP/1.1\r\nhost: HOST\r\n${call}\r\n\r\n[41]` },
  ];
}

async function load({ running, name }: App, { request, title }: Scenario, duration: number): Promise<Sample> {
  const { host, port } = new URL(running.origin);
  const options: LoadOptions = {
    port: Number(port),
    request: request.replaceAll('HOST', host),
    connections,
    seconds: duration,
  };
  const { pid } = running;
  const [cpu = Number.NaN, serving = Number.NaN] = [readCpuSeconds(pid), readServingSeconds(pid)];
  const script = path.join(import.meta.dirname, 'load.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [script, JSON.stringify(options)]);
  const result: LoadResult = JSON.parse(stdout);
  if (result.failures > 0) throw new Error(`${name}, ${title}: ${result.failures} answers were not 2xx`);
  const toMs = (after: number | undefined, before: number) =>
    (((after ?? Number.NaN) - before) * 1000) / result.requests;
  return {
    ...result,
    perSecond: result.requests / result.seconds,
    cpuMs: toMs(readCpuSeconds(pid), cpu),
    servingMs: toMs(readServingSeconds(pid), serving),
  };
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

async function startPair(): Promise<Pair> {
  const [on, off] = await Promise.all(
    (['on', 'off'] as const).map(async (name): Promise<App> => {
      const folder = mkdtempSync(path.join(tmpdir(), 'flight-bench-'));
      const env = { RECORD: name === 'on' ? 'all' : 'off', FLIGHT_DATA: folder };
      return { name, folder, running: await startFixture('recorded', 'production', env) };
    }),
  );
  if (!on || !off) throw new Error('There are two servers');
  return { on, off };
}

/** @returns how many requests the server with recording has answered */
async function compare(scenario: Scenario, { on, off }: Pair): Promise<number> {
  const warm = await load(on, scenario, warmUpSeconds);
  await load(off, scenario, warmUpSeconds);
  const pairs: { readonly on: Sample; readonly off: Sample }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    // The server that goes first meets a rested machine, so they take turns at being first.
    const first = await load(round % 2 === 0 ? on : off, scenario, seconds);
    const second = await load(round % 2 === 0 ? off : on, scenario, seconds);
    pairs.push(round % 2 === 0 ? { on: first, off: second } : { on: second, off: first });
  }
  const read = (key: 'perSecond' | 'p50' | 'p99' | 'cpuMs' | 'servingMs') => ({
    off: Number(median(pairs.map((pair) => pair.off[key])).toFixed(3)),
    on: Number(median(pairs.map((pair) => pair.on[key])).toFixed(3)),
    'on / off': Number(median(pairs.map((pair) => pair.on[key] / pair.off[key])).toFixed(3)),
  });
  console.log(`\n${scenario.title} (goals: requests/s ≥ ${scenario.goal ?? usualGoal}, p99 ≤ 1.05)`);
  console.table({
    'requests/s': read('perSecond'),
    'p50 ms': read('p50'),
    'p99 ms': read('p99'),
    'CPU ms/request': read('cpuMs'),
    'of it serving': read('servingMs'),
  });
  return pairs.reduce((sum, pair) => sum + pair.on.requests, warm.requests);
}

/** @throws where next to nothing was recorded: then the figures say what something else costs */
function showRecording({ folder, running }: App, requests: number): void {
  const file = path.join(folder, 'flights.db');
  const database = new DatabaseSync(file);
  const { flights } = database.prepare('select coalesce(sum(hits), 0) as flights from flight').get() ?? {};
  database.close();
  const written = `${String(flights)} of ${requests} requests, ${(statSync(file).size / 2 ** 20).toFixed(0)} MiB`;
  console.log(`In the file: ${written}; RSS with recording: ${readRss(running.pid).toFixed(0)} MiB`);
  if (Number(flights) < requests * leastRecorded) throw new Error('the requests were not recorded');
}

compareLooking(rounds);
if (flags.only === 'looking') process.exit();
console.log('Building the fixture …');
await buildFixture('recorded');
console.log(`${rounds} paired rounds of ${seconds} s, ${connections} connections, Node ${process.version}`);
for (const scenario of listScenarios()) {
  if (flags.only && !scenario.title.includes(flags.only)) continue;
  const pair = await startPair();
  try {
    showRecording(pair.on, await compare(scenario, pair));
  } finally {
    for (const { running, folder } of [pair.on, pair.off]) {
      await running.stop();
      rmSync(folder, { recursive: true });
    }
  }
}
