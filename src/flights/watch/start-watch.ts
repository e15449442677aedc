import type { InstalledPackage } from '#src/apps/advisories/read-installed.ts';
import type { RecorderAddress } from '#report/recorder-url.ts';
import type { Watch } from '#src/proxy/watch.ts';
import type { AgeClock } from '#src/store/age-clock.ts';

import { createBudget } from '../flight/budget.ts';
import { createDrops, type DropCounts } from '../flight/drops.ts';
import type { ModuleFiles } from '../flight/module-files.ts';
import type { Policy, RecorderLimits } from '#src/apps/policy.ts';
import { readDatabase } from '../recorder/read-database.ts';
import { createTeller, tellEveryMs } from '../recorder/tell-losses.ts';
import { noteInstalled } from '../recorder/note-installed.ts';
import { noteKept } from '../recorder/note-kept.ts';
import { noteModules } from '../recorder/note-modules.ts';
import { createWriteFlights, type WriteFlights } from '../recorder/write-flights.ts';
import type { ReportedUse } from '../writer/flight-writer.ts';
import type { RequestLook } from './exchange.ts';
import { createRoomCheck } from './has-room.ts';
import { isBuiltFile, isPageType, isToldByAnswer, isWorthWatching } from './is-worth-watching.ts';
import { keepRequestHeaders } from './keep-headers.ts';
import { lookAtOther, lookAtRequest } from './look-at-request.ts';
import { openLateTap } from './open-late-tap.ts';
import { openTap } from './open-tap.ts';
import { createOpenTaps, type OpenTaps } from './open-taps.ts';

/**
 * Records what a proxy forwards, in the proxy's own process: into the file in which the interface's process records its own pages,
 * by a writer thread of its own. Here, where the bytes pass, a response is copied and nothing else; what it was is found out
 * by the thread (writer/exchange/).
 *
 * A recording is expendable. When there is no memory, no room on the disk or no thread, what is lost is counted; the counts go
 * into the file as soon as that can be written, so that the interface shows them.
 */
export type WatchOptions = {
  /** Its id. */
  readonly app: string;
  /** The data folder. */
  readonly folder: string;
  /** Asked for each request: the operator may change it. */
  readonly readPolicy: () => Policy;
  /** What the version that runs is called, for answers that do not say their build. */
  readonly release?: string | undefined;
  readonly limits: RecorderLimits;
  /** False while the disk is full. The free space of the folder's disk, unless it is given. */
  readonly hasRoom?: () => boolean;
  /** Says how old a flight is. Without it nothing is deleted for its age here: that is the interface's process's task. */
  readonly readAge?: AgeClock;
  /** Bytes of responses in memory. */
  readonly memory?: number;
  /** A recorder elsewhere: the folder then only keeps what it has not taken yet. */
  readonly shipTo?: RecorderAddress;
  /** What the app runs, where that is known. */
  readonly installed?: readonly InstalledPackage[] | undefined;
};

export type RunningWatch = {
  readonly watch: Watch;
  /** What a browser says became of prefetches that went through here. */
  readonly noteReported: (told: Omit<ReportedUse, 'app'>) => void;
  /** Which files a build's client modules are. A recorder elsewhere is not told. */
  readonly noteModules: (build: string, files: ModuleFiles) => void;
  /** What is kept of the app where it has no setting. A recorder elsewhere is not told. */
  readonly noteKept: (unset: Policy) => void;
  /** Since the start. */
  readonly readLosses: () => DropCounts;
  /** Resolves when all that ended so far is in the file, or counted as lost. */
  readonly flush: () => Promise<void>;
  /** Writes what waits, and ends the thread. */
  readonly close: () => Promise<void>;
};

function createAge(readAge: AgeClock | undefined) {
  const age = new Float64Array(new SharedArrayBuffer(2 * Float64Array.BYTES_PER_ELEMENT));
  const tell = () => {
    const { now, waitsUntil } = readAge?.() ?? { now: 0, waitsUntil: undefined };
    age.set([now, waitsUntil ?? 0]);
  };
  return { age, tell };
}

function createWatch(
  { app, readPolicy, release = '' }: WatchOptions,
  taps: OpenTaps,
  writer: WriteFlights,
  onLost: () => void,
): Watch {
  return (request) => {
    const policy = readPolicy();
    if (policy.mode === 'off') return undefined;
    const headers = keepRequestHeaders(request.headers);
    const begun = performance.now();
    const open = (look: RequestLook) =>
      openTap(request, look, headers, {
        app,
        policy,
        release,
        taps,
        begun,
        onLost,
        // Without memory for it, its end says the same, later.
        onBegin: (exchange) => void writer.addExchange(exchange),
        onEnd: (exchange) => {
          if (!writer.addExchange(exchange)) onLost();
        },
      });
    if (isWorthWatching(request.method, request.target, headers)) return open(lookAtRequest({ ...request, headers }));
    const { method, target } = request;
    // What the app printed of its failure would else be taken for the cause of another answer.
    if (method === 'HEAD') return openLateTap((status) => (status >= 500 ? open(lookAtOther(target)) : undefined));
    const isBuilt = isBuiltFile(method, target);
    const isToldLater = isToldByAnswer(method, target, headers);
    if (!isBuilt && !isToldLater) return undefined;
    return openLateTap((status, contentType) => {
      if (status === 404) return isBuilt ? open(lookAtOther(target)) : undefined;
      return isToldLater && isPageType(contentType) ? open(lookAtRequest({ ...request, headers })) : undefined;
    });
  };
}

/** Call it once in a process for each app. */
export async function startWatch(options: WatchOptions): Promise<RunningWatch> {
  const { app, folder, limits, readAge, memory, shipTo, installed } = options;
  const target = shipTo ? { shipTo } : readDatabase();
  // In a database it is the database's disk that may be full: then it says so.
  const { hasRoom = 'database' in target ? () => true : createRoomCheck(folder) } = options;
  const budget = createBudget(memory);
  const drops = createDrops();
  const { age, tell: tellAge } = createAge(readAge);
  const writer = createWriteFlights({
    data: { folder, bytesLimit: limits.bytes, ageMs: limits.ageMs, age: age.buffer, ...target },
    budget,
    drops,
    hasRoom,
    onSending() {},
    onWritten() {},
  });
  const tellLosses = createTeller(app, writer, drops.read);
  tellAge();
  if (installed && !shipTo) noteInstalled(writer, app, installed);
  const timer = setInterval(() => {
    tellAge();
    void tellLosses();
  }, tellEveryMs).unref();

  return {
    watch: createWatch(options, createOpenTaps(budget), writer, () => drops.count(writer.fullReason(), 1)),
    noteReported: (told) => writer.note({ time: Date.now(), used: [], closedTrace: undefined, told: { app, ...told } }),
    noteModules(build, files) {
      if (!shipTo) noteModules(writer, app, build, files);
    },
    noteKept(unset) {
      if (!shipTo) noteKept(writer, app, unset);
    },
    readLosses: drops.read,
    async flush() {
      await writer.flush();
      await tellLosses();
    },
    async close() {
      clearInterval(timer);
      await writer.flush();
      await tellLosses();
      await writer.close();
    },
  };
}
