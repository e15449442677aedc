/**
 * When to turn work away, as a state machine of samples: no clock, no process, so that every step of it can be tried.
 *
 * People wait for pages, so pages are turned away last; reports can be sent again, so they are turned away first. A change
 * of level takes several samples in a row, and leaving a level takes lower values than entering it, so that the level does
 * not change to and fro.
 */
export type LoadSample = {
  /** 99th percentile of how late timers ran since the sample before. */
  readonly delayMs: number;
  /** Share of the time since then in which the event loop was busy, 0 to 1. */
  readonly utilization: number;
  /** Processors that this process used since then: 1 is one of them, all the time. Several threads may use more. */
  readonly ownWork: number;
  /** Share of the memory that this process may use, 0 to 1. Undefined where nobody set a limit. */
  readonly memory: number | undefined;
};

/** What is turned away: each level includes those before it. */
export const loadLevels = ['calm', 'no-reports', 'no-others', 'no-pages'] as const;

export type LoadLevel = (typeof loadLevels)[number];

export type LoadState = {
  readonly level: LoadLevel;
  /** Samples in a row that asked for a higher level, or would allow a lower one. */
  readonly rising: number;
  readonly falling: number;
};

export const calm: LoadState = { level: 'calm', rising: 0, falling: 0 };

/** As in the examples of @fastify/under-pressure: above it, people notice the wait at every click. */
const delayLimits = { enter: 200, leave: 100 };
/**
 * A busy event loop need not be slow: at full load it is never idle, and each request may still be quick. So utilization
 * alone turns away reports and nothing else.
 */
const utilizationLimits = { enter: 0.95, leave: 0.8 };
/**
 * A machine on which others take the processors makes timers late, and the event loop seems busy while it waits for its turn. To
 * turn people away then helps nobody: there is no work of ours to save. So delay turns away more than reports only while this
 * process itself works. Three quarters of its fair share where it and four others want two processors.
 */
const ownWorkLimits = { enter: 0.3, leave: 0.2 };
/** V8 gives memory back late or never, so memory alone turns pages away only when nearly all of it is used. */
export const memoryLimits = { enter: 0.85, leave: 0.8, last: 0.95 };

/** With a sample each half second: a pause of a second (a large collection, a busy neighbour) is no overload. */
const samplesToRise = 4;
const samplesToFall = 8;

/** The highest level that this sample justifies. */
function findCeiling({ delayMs, utilization, ownWork, memory = 0 }: LoadSample): LoadLevel {
  const isLate = delayMs > delayLimits.enter;
  if ((isLate && ownWork > ownWorkLimits.enter) || memory > memoryLimits.last) return 'no-pages';
  if (memory > memoryLimits.enter) return 'no-others';
  return isLate || utilization > utilizationLimits.enter ? 'no-reports' : 'calm';
}

function isRelieved({ delayMs, utilization, ownWork, memory = 0 }: LoadSample, level: LoadLevel): boolean {
  if (memory >= memoryLimits.leave) return false;
  const isQuick = delayMs < delayLimits.leave;
  // What utilization did not raise it does not hold up; nor does a delay that others cause.
  return level === 'no-reports'
    ? isQuick && utilization < utilizationLimits.leave
    : isQuick || ownWork < ownWorkLimits.leave;
}

function step(level: LoadLevel, by: 1 | -1): LoadLevel {
  return loadLevels[loadLevels.indexOf(level) + by] ?? level;
}

/** The state after one more sample. At most one level at a time. */
export function followLoad({ level, rising, falling }: LoadState, sample: LoadSample): LoadState {
  if (loadLevels.indexOf(findCeiling(sample)) > loadLevels.indexOf(level)) {
    const isOver = rising + 1 >= samplesToRise;
    return isOver ? { level: step(level, 1), rising: 0, falling: 0 } : { level, rising: rising + 1, falling: 0 };
  }
  if (level === 'calm' || !isRelieved(sample, level)) return { level, rising: 0, falling: 0 };
  const isUnder = falling + 1 >= samplesToFall;
  return isUnder ? { level: step(level, -1), rising: 0, falling: 0 } : { level, rising: 0, falling: falling + 1 };
}
