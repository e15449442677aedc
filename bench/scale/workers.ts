import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

import { findFreePort, runServer } from '../fixture-app.ts';
import type { LoadResult } from '../load.ts';
import { readCpuSeconds } from '../process-usage.ts';

/**
 * What a second worker brings: requests a second with `WORKERS` 1 and 2, in pairs that take turns, and the processor's time that each
 * process used for a request. Where the load generator, the workers and others share two processors, requests a second say what is
 * left to the workers. So the work a second of one added processor is counted from the time for a request.
 */
export type WorkersOptions = {
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
  readonly path: string;
};

/** For each worker: before, the compiler of the JavaScript engine takes a large part of the time. */
const warmRequests = 600;
/**
 * Connections that come in the same moment may all be one worker's: it accepts as many as wait. Those that come one after the other go
 * to whoever has time.
 */
const apartMs = 10;

type Measured = {
  readonly perSecond: number;
  readonly p99: number;
  /** Milliseconds of a processor for a request: of all workers, of the primary, of the load generator. */
  readonly workersMs: number;
  readonly primaryMs: number;
  readonly loadMs: number;
  /** The share of each worker in their work. */
  readonly shares: readonly number[];
};

function findChildren(pid: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return Number(readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1]) === pid;
      } catch {
        // It has ended.
        return false;
      }
    })
    .map(Number);
}

function readAll(pids: readonly number[]): readonly number[] {
  return pids.map((pid) => readCpuSeconds(pid) ?? Number.NaN);
}

async function measure(workers: number, options: WorkersOptions): Promise<Measured> {
  const data = mkdtempSync(path.join(tmpdir(), 'flight-bench-scale-'));
  const port = await findFreePort();
  const running = await runServer(['dist/serve-node.js'], {
    port,
    cwd: path.join(import.meta.dirname, '../..'),
    env: { ...process.env, NODE_ENV: 'production', WORKERS: String(workers), FLIGHT_AUTH: 'off', FLIGHT_DATA: data },
    readyPath: '/readyz',
  });
  const request = `GET ${options.path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;
  async function run(seconds: number): Promise<LoadResult & { readonly cpuMs: number }> {
    const load = JSON.stringify({ port, request, connections: options.connections, seconds, apartMs });
    const program = path.join(import.meta.dirname, '../load.ts');
    // The second line of the shell's `times` is what its ended children have used.
    const { stdout, stderr } = await promisify(execFile)('sh', [
      '-c',
      '"$0" "$1" "$2" && times >&2',
      process.execPath,
      program,
      load,
    ]);
    const [user = '', system = ''] = stderr.trim().split('\n').at(-1)?.split(' ') ?? [];
    const toMs = (text: string) => {
      const [, minutes = '0', rest = '0'] = /^(\d+)m([\d.]+)s$/.exec(text) ?? [];
      return (Number(minutes) * 60 + Number(rest)) * 1_000;
    };
    const result: LoadResult = JSON.parse(stdout);
    return { ...result, cpuMs: toMs(user) + toMs(system) };
  }
  try {
    for (let asked = 0; asked < warmRequests * workers;) asked += (await run(2)).requests;
    const children = workers === 1 ? [running.pid] : findChildren(running.pid);
    const [before, primaryBefore] = [readAll(children), readCpuSeconds(running.pid) ?? Number.NaN];
    const result = await run(options.seconds);
    const used = readAll(children).map((seconds, index) => seconds - (before[index] ?? Number.NaN));
    const all = used.reduce((sum, seconds) => sum + seconds, 0);
    const primary = workers === 1 ? 0 : (readCpuSeconds(running.pid) ?? Number.NaN) - primaryBefore;
    if (result.failures > 0) console.log(`  not all were 2xx: ${JSON.stringify(result.statuses)}`);
    return {
      perSecond: result.requests / result.seconds,
      p99: result.p99,
      workersMs: (all * 1_000) / result.requests,
      primaryMs: (primary * 1_000) / result.requests,
      loadMs: result.cpuMs / result.requests,
      shares: used.map((seconds) => seconds / all),
    };
  } finally {
    await running.stop();
    rmSync(data, { recursive: true, force: true });
  }
}

function print(workers: number, { perSecond, p99, workersMs, primaryMs, loadMs, shares }: Measured): void {
  const parts = shares.map((share) => `${Math.round(share * 100)} %`).join(' + ');
  console.log(
    `  WORKERS=${workers}: ${perSecond.toFixed(0)} requests/s, p99 ${p99.toFixed(0)} ms; ms of a processor for a request: ` +
      `workers ${workersMs.toFixed(2)} (${parts}), primary ${primaryMs.toFixed(3)}, load generator ${loadMs.toFixed(2)}`,
  );
}

function findMedian(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

export async function compareWorkers(options: WorkersOptions): Promise<void> {
  const ratios: number[] = [];
  for (let round = 1; round <= options.rounds; round += 1) {
    console.log(`round ${round}`);
    const one = await measure(1, options);
    print(1, one);
    const two = await measure(2, options);
    print(2, two);
    ratios.push((2 * one.workersMs) / (two.workersMs + two.primaryMs));
  }
  console.log(
    `work a second of two workers with a processor each, against one with one: ${findMedian(ratios).toFixed(2)} ×`,
  );
}
