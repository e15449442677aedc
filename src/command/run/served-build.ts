import { statSync } from 'node:fs';

import { buildIdFile, readBuildId, usualBuild } from '#report/next/read-build.ts';
import type { Running } from '#report/sender/map-frames.ts';

import { findListener, isRunning, type Listener } from './find-listener.ts';

/**
 * Which build the app serves that `run` has started. It may be built again in its own folder while the old process still runs, and be
 * started again by what watches over it. What is printed then is of the one or of the other, and so are its release and its maps. So
 * where the build is later than the process that was seen, the system is asked since when the one runs that listens.
 */
export type ServedBuild = {
  /** The app listens: what lies there is what it serves. @returns its id */
  readonly note: () => string | undefined;
  /** Of the process that prints now. Undefined where there is none, or nobody knows which. */
  readonly readRelease: () => string | undefined;
  readonly readStartedAt: () => Running['startedAt'];
};

export type ServedApp = {
  readonly folder: string;
  /** A development server says no build, and one of an earlier day may lie there. */
  readonly isDevelopment: boolean;
  /** Undefined where it cannot be found: not every system tells it. */
  readonly findProcess: () => Listener | undefined;
  readonly isRunning?: typeof isRunning;
};

/** After nothing was found. A look reads what the system has of all processes, some milliseconds on the thread that forwards. */
const lookedAgainMs = 500;

type Served = {
  readonly build: string | undefined;
  readonly startedAt: Running['startedAt'];
  /** A build that is later is another one. */
  readonly seenAt: number;
};

/** @param port where the app listens, if that is known @param pid of its command: what listens is it, or was started by it */
export function createProcessFinder(port: number | undefined, pid: () => number | undefined): ServedApp['findProcess'] {
  return () => {
    const ancestor = pid();
    return port === undefined || ancestor === undefined ? undefined : findListener(port, ancestor);
  };
}

export function watchServedBuild(app: ServedApp): ServedBuild {
  const { isDevelopment, findProcess } = app;
  const built = usualBuild(app.folder);
  const isStillRunning = app.isRunning ?? isRunning;
  let served: Served | undefined;
  let listener: Listener | undefined;
  let lookAgainAt = 0;

  function see(): Served {
    const seenAt = Date.now();
    const build = isDevelopment ? undefined : readBuildId(built, seenAt);
    return (served = { build, startedAt: build === undefined ? 'remade' : seenAt, seenAt });
  }

  function look(): Listener | undefined {
    if (listener && isStillRunning(listener)) return listener;
    if (performance.now() < lookAgainAt) return undefined;
    listener = findProcess();
    if (!listener) lookAgainAt = performance.now() + lookedAgainMs;
    return listener;
  }

  /** @returns undefined where nobody knows of which build the process is */
  function readServed(): Served | undefined {
    const known = served ?? see();
    const changed = statSync(buildIdFile(built), { throwIfNoEntry: false })?.ctimeMs;
    // While a build has taken the old one away, nothing can be started of it.
    if (isDevelopment || changed === undefined || changed <= known.seenAt) return known;
    const found = look();
    if (!found) return undefined;
    const { startedAt } = found;
    if (startedAt <= known.seenAt) return known;
    return (served = { build: readBuildId(built, startedAt), startedAt, seenAt: startedAt });
  }

  return {
    note: () => (readServed() ?? see()).build,
    readRelease: () => readServed()?.build,
    readStartedAt: () => readServed()?.startedAt ?? 'unknown',
  };
}
