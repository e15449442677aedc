import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

import type { LoadOptions, LoadResult } from './load.ts';
import { readCpuSeconds, readServingSeconds, readTreeSeconds } from './process-usage.ts';

/** What one server did in one round. */
export type Sample = LoadResult & {
  readonly perSecond: number;
  /** For each request, of the process. */
  readonly cpuMs: number | undefined;
  /** Of its first thread, which serves the pages. */
  readonly servingMs: number | undefined;
  /** Of the process and of those that it has started. */
  readonly treeMs: number | undefined;
};

const readers = { cpuMs: readCpuSeconds, servingMs: readServingSeconds, treeMs: readTreeSeconds } as const;

/**
 * Runs the load generator once against the server with this process id.
 * @throws when an answer was not 2xx, because a fast refusal is not throughput. With `status`: when an answer had
 *   another status.
 */
export async function takeSample(pid: number, label: string, options: LoadOptions, status?: number): Promise<Sample> {
  const before = { cpuMs: readCpuSeconds(pid), servingMs: readServingSeconds(pid), treeMs: readTreeSeconds(pid) };
  const script = path.join(import.meta.dirname, 'load.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [script, JSON.stringify(options)]);
  const result: LoadResult = JSON.parse(stdout);
  const failures = status === undefined ? result.failures : result.requests - (result.statuses[status] ?? 0);
  if (failures > 0) {
    throw new Error(`${label}: ${failures} of ${result.requests} answers were not ${status ?? '2xx'}`);
  }
  function perRequest(name: keyof typeof readers): number | undefined {
    const [began, ended] = [before[name], readers[name](pid)];
    return began === undefined || ended === undefined ? undefined : ((ended - began) * 1000) / result.requests;
  }
  return {
    ...result,
    perSecond: result.requests / result.seconds,
    cpuMs: perRequest('cpuMs'),
    servingMs: perRequest('servingMs'),
    treeMs: perRequest('treeMs'),
  };
}

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

/** The median over rounds of `read` of one server's sample, divided by that of the other's sample of the same round. */
export function ratio(over: readonly Sample[], under: readonly Sample[], read: (sample: Sample) => number): number {
  return median(over.map((sample, round) => read(sample) / read(under[round] ?? sample)));
}

export function show(number: number, digits: number): string {
  return Number.isFinite(number) ? number.toFixed(digits) : '-';
}
