import { totalmem } from 'node:os';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';

import { thisWorker } from '#src/workers/this-worker.ts';

import { writeLog } from './log.ts';

import { calm, followLoad, type LoadLevel, type LoadSample, type LoadState } from './load-level.ts';

/** How busy this process is, and what it turns away because of it. */
export type Load = {
  readonly level: () => LoadLevel;
  /** Begins to measure. Returns what ends it. */
  readonly start: () => () => void;
};

const sampleMs = 500;
/** Timers that run late are looked for this often; the histogram counts the interval itself, too. */
const resolutionMs = 20;
const nanosecondsPerMs = 1e6;
const microsecondsPerMs = 1e3;

/** Resident, measured: the primary of several workers loads neither the interface nor React. */
const primaryBytes = 64 * 2 ** 20;

/** This process's share of the memory that a container or service manager allows. Undefined where it allows the whole machine. */
function readMemoryLimit(): number | undefined {
  // Without a limit it is 0, or a number beyond any machine.
  const limit = process.constrainedMemory();
  if (limit <= 0 || limit >= totalmem()) return undefined;
  const worker = thisWorker();
  return worker ? Math.max(1, limit - primaryBytes) / worker.count : limit;
}

function createSampler(memoryLimit: number | undefined): { read: () => LoadSample; stop: () => void } {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs });
  delays.enable();
  let before = performance.eventLoopUtilization();
  let cpuBefore = process.cpuUsage();
  let readAt = performance.now();

  /** With all threads: those of ours that take a processor from this one are our work, too. */
  function readOwnWork(): number {
    const { user, system } = process.cpuUsage(cpuBefore);
    const elapsedMs = performance.now() - readAt;
    cpuBefore = process.cpuUsage();
    readAt = performance.now();
    return (user + system) / microsecondsPerMs / elapsedMs;
  }

  return {
    read() {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, before);
      before = now;
      // No timer has run when the loop is still blocked: the next sample has the delay.
      const late = delays.count === 0 ? 0 : delays.percentile(99) / nanosecondsPerMs - resolutionMs;
      delays.reset();
      const memory = memoryLimit === undefined ? undefined : process.memoryUsage.rss() / memoryLimit;
      return { delayMs: Math.max(0, late), utilization, ownWork: readOwnWork(), memory };
    },
    stop: () => void delays.disable(),
  };
}

function logChange(level: LoadLevel, { delayMs, utilization, ownWork, memory }: LoadSample): void {
  writeLog(level === 'calm' ? 'info' : 'warn', 'load-level', {
    load: level,
    delayMs: Math.round(delayMs),
    utilizationPercent: Math.round(utilization * 100),
    ownWorkPercent: Math.round(ownWork * 100),
    memoryPercent: memory === undefined ? undefined : Math.round(memory * 100),
  });
}

let lastSample: (LoadSample & { readonly level: LoadLevel }) | undefined;

/** What was measured last, at most half a second ago; undefined where nothing measures. */
export function readLoadSample(): (LoadSample & { readonly level: LoadLevel }) | undefined {
  return lastSample;
}

/** Ends the measuring that began last. Development makes the server anew, and nobody stops the one before. */
let stopLast: (() => void) | undefined;

export function createLoad(): Load {
  let state: LoadState = calm;
  return {
    level: () => state.level,
    start() {
      stopLast?.();
      const sampler = createSampler(readMemoryLimit());
      const timer = setInterval(() => {
        const sample = sampler.read();
        const { level } = state;
        state = followLoad(state, sample);
        lastSample = { ...sample, level: state.level };
        if (state.level !== level) logChange(state.level, sample);
      }, sampleMs);
      timer.unref();
      function stop(): void {
        clearInterval(timer);
        sampler.stop();
      }
      stopLast = stop;
      return stop;
    },
  };
}
