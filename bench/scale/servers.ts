import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';

import { startPostgres } from '../../scripts/start-postgres.mjs';
import { findFreePort, runServer } from '../fixture-app.ts';
import type { LoadResult } from '../load.ts';
import { readCpuSeconds } from '../process-usage.ts';

/**
 * What a second server on the same PostgreSQL and the same port brings (`REUSE_PORT=1`): requests a second with one and with two, in pairs
 * that take turns, and the processor's time that each used for a request. Where the load generator, PostgreSQL and the servers share
 * two processors, requests a second say what is left to the servers. So the work a second of one added processor is counted from the
 * time for a request.
 */
export type ServersOptions = {
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
  readonly path: string;
};

/** For each server: before, the compiler of the JavaScript engine takes a large part of the time. */
const warmRequests = 600;
/** The system spreads connections over the servers; those that come in the same moment have ports that are much alike. */
const apartMs = 10;

type Measured = {
  readonly perSecond: number;
  readonly p99: number;
  /** Milliseconds of a processor for a request: of all servers, of the load generator. */
  readonly serversMs: number;
  readonly loadMs: number;
  /** The share of each server in their work. */
  readonly shares: readonly number[];
};

function readAll(pids: readonly number[]): readonly number[] {
  return pids.map((pid) => readCpuSeconds(pid) ?? Number.NaN);
}

async function measure(servers: number, options: ServersOptions): Promise<Measured> {
  const folder = mkdtempSync(path.join(tmpdir(), 'flight-bench-scale-'));
  const port = await findFreePort();
  const postgres = await startPostgres({ fsync: true });
  const running: Awaited<ReturnType<typeof runServer>>[] = [];
  for (let number = 1; number <= servers; number += 1) {
    const env = {
      ...process.env,
      NODE_ENV: 'production',
      REUSE_PORT: '1',
      DATABASE_URL: postgres.url,
      FLIGHT_AUTH: 'off',
      FLIGHT_DATA: path.join(folder, String(number)),
    };
    const cwd = path.join(import.meta.dirname, '../..');
    const server = await runServer(['dist/serve-node.js'], { port, cwd, env, readyPath: '/readyz' });
    // The first may have answered for the second.
    while (!server.output().includes('Flight Recorder is at')) await wait(20);
    running.push(server);
  }
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
    for (let asked = 0; asked < warmRequests * servers;) asked += (await run(2)).requests;
    const pids = running.map(({ pid }) => pid);
    const before = readAll(pids);
    const result = await run(options.seconds);
    const used = readAll(pids).map((seconds, index) => seconds - (before[index] ?? Number.NaN));
    const all = used.reduce((sum, seconds) => sum + seconds, 0);
    if (result.failures > 0) console.log(`  not all were 2xx: ${JSON.stringify(result.statuses)}`);
    return {
      perSecond: result.requests / result.seconds,
      p99: result.p99,
      serversMs: (all * 1_000) / result.requests,
      loadMs: result.cpuMs / result.requests,
      shares: used.map((seconds) => seconds / all),
    };
  } finally {
    for (const { stop } of running) await stop();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function print(servers: number, { perSecond, p99, serversMs, loadMs, shares }: Measured): void {
  const parts = shares.map((share) => `${Math.round(share * 100)} %`).join(' + ');
  console.log(
    `  ${servers} on the port: ${perSecond.toFixed(0)} requests/s, p99 ${p99.toFixed(0)} ms; ms of a processor for a request: ` +
      `servers ${serversMs.toFixed(2)} (${parts}), load generator ${loadMs.toFixed(2)}`,
  );
}

function findMedian(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

export async function compareServers(options: ServersOptions): Promise<void> {
  const ratios: number[] = [];
  for (let round = 1; round <= options.rounds; round += 1) {
    console.log(`round ${round}`);
    const one = await measure(1, options);
    print(1, one);
    const two = await measure(2, options);
    print(2, two);
    ratios.push((2 * one.serversMs) / two.serversMs);
  }
  console.log(
    `work a second of two servers with a processor each, against one with one: ${findMedian(ratios).toFixed(2)} ×`,
  );
}
