import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Linux counts a process's time in 1/100 s: `getconf CLK_TCK` is 100 on every platform Node is built for. */
const ticksPerSecond = 100;

/** From the third field on: the second is the program's name in parentheses and may contain anything. */
function readFields(file: string): readonly string[] | undefined {
  try {
    return readFileSync(file, 'utf8').split(') ').at(-1)?.split(' ');
  } catch {
    // There is no /proc, or the process has ended.
    return undefined;
  }
}

function readSeconds(file: string): number | undefined {
  const fields = readFields(file);
  return fields && (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** CPU seconds that the process has used, user and system; undefined where there is no /proc. */
export function readCpuSeconds(pid: number): number | undefined {
  return readSeconds(`/proc/${pid}/stat`);
}

/** The CPU seconds of its first thread alone, which serves the pages. */
export function readServingSeconds(pid: number): number | undefined {
  return readSeconds(`/proc/${pid}/task/${pid}/stat`);
}

/** The CPU seconds of the process and of those that it has started, and they, as far as they still run. */
export function readTreeSeconds(pid: number): number | undefined {
  const own = readCpuSeconds(pid);
  if (own === undefined) return undefined;
  const others = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const children = others.filter((name) => Number(readFields(`/proc/${name}/stat`)?.[1]) === pid);
  return children.reduce((sum, child) => sum + (readTreeSeconds(Number(child)) ?? 0), own);
}

/** Resident memory in MiB. */
export function readRss(pid: number): number {
  const file = `/proc/${pid}/status`;
  const kibibytes = existsSync(file)
    ? /^VmRSS:\s+(\d+)/m.exec(readFileSync(file, 'utf8'))?.[1]
    : execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  return Number(kibibytes) / 1024;
}

/** The most memory that was ever resident, in MiB. Only Linux has this number. */
export function readPeakRss(pid: number): number {
  const file = `/proc/${pid}/status`;
  const kibibytes = existsSync(file) ? /^VmHWM:\s+(\d+)/m.exec(readFileSync(file, 'utf8'))?.[1] : undefined;
  return Number(kibibytes ?? Number.NaN) / 1024;
}
