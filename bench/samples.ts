import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

import type { LoadOptions, LoadResult } from './load.ts';
import { readCpuSeconds } from './process-usage.ts';

/** What one server did in one round. */
export type Sample = LoadResult & { readonly perSecond: number; readonly cpuMs: number | undefined };

/**
 * Runs the load generator once against the server with this process id.
 * @throws when an answer was not 2xx, because a fast refusal is not throughput. With `status`: when an answer had
 *   another status.
 */
export async function takeSample(pid: number, label: string, options: LoadOptions, status?: number): Promise<Sample> {
  const before = readCpuSeconds(pid);
  const script = path.join(import.meta.dirname, 'load.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [script, JSON.stringify(options)]);
  const result: LoadResult = JSON.parse(stdout);
  const failures = status === undefined ? result.failures : result.requests - (result.statuses[status] ?? 0);
  if (failures > 0) {
    throw new Error(`${label}: ${failures} of ${result.requests} answers were not ${status ?? '2xx'}`);
  }
  const after = readCpuSeconds(pid);
  const cpuMs = before === undefined || after === undefined ? undefined : ((after - before) * 1000) / result.requests;
  return { ...result, perSecond: result.requests / result.seconds, cpuMs };
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
