import { totalmem } from 'node:os';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';

import { writeLog } from './log.ts';

import { calm, followLoad, memoryLimits, type LoadLevel, type LoadSample, type LoadState } from './load-level.ts';

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

/** What a container or service manager allows this process, in bytes. Undefined where it allows the whole machine. */
function readMemoryLimit(): number | undefined {
  // Without a limit it is 0, or a number beyond any machine.
  const limit = process.constrainedMemory();
  return limit <= 0 || limit >= totalmem() ? undefined : limit;
}

let memoryLimit: number | undefined;

/** Share of the memory that this process may use, 0 to 1. Undefined where nobody set a limit. */
export function readMemoryShare(): number | undefined {
  memoryLimit ??= readMemoryLimit() ?? Infinity;
  return memoryLimit === Infinity ? undefined : process.memoryUsage.rss() / memoryLimit;
}

/** Bytes that this process may still take before work is turned away. Undefined where nobody set a limit. */
export function readFreeMemory(): number | undefined {
  memoryLimit ??= readMemoryLimit() ?? Infinity;
  return memoryLimit === Infinity ? undefined : memoryLimit * memoryLimits.enter - process.memoryUsage.rss();
}

function createSampler(): { read: () => LoadSample; stop: () => void } {
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
      return { delayMs: Math.max(0, late), utilization, ownWork: readOwnWork(), memory: readMemoryShare() };
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
      const sampler = createSampler();
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
