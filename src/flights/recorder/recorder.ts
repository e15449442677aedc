import { setImmediate as nextTurn } from 'node:timers/promises';

import type { FlightSink, FlightStart, FlightTap } from '#src/runtime/renderer/flight-observer.ts';
import { watchRequests } from '#src/runtime/timing/watch-requests.ts';
import { recorderPages } from '#src/server/http/addresses.ts';
import { isHome } from '#src/server/http/mounted.ts';
import type { RequestContext } from '#src/server/http/request-context.ts';
import { readSetting } from '#src/server/environment/read-setting.ts';
import type { InstalledPackage } from '#src/apps/advisories/read-installed.ts';
import type { RecorderAddress } from '#report/recorder-url.ts';
import type { AgeClock } from '#src/store/age-clock.ts';
import { dataFolder } from '#src/store/data-folder.ts';
import { ownApp } from '#src/store/own-app.ts';
import type { ExportedError } from '#src/flights/telemetry/exported.ts';

import { createBudget, memoryLimit, type Budget } from '../flight/budget.ts';
import { createDrops, type DropCounts, type Drops } from '../flight/drops.ts';
import { createHitCounts } from './count-hits.ts';
import { tellWritten } from './follow-flights.ts';
import {
  keepsSuccess,
  readAllLeftMs,
  readLimits,
  readPolicy,
  type Policy,
  type RecorderLimits,
} from '#src/apps/policy.ts';
import {
  attachRecording,
  createRecording,
  describeRecording,
  discardFlight,
  findRecording,
  isFailure,
  isFlightSent,
  belongsToPage,
  readElapsed,
  takeFileBody,
  takeSpans,
  tapRecording,
  type Answer,
  type RecordedRequest,
  type Recording,
} from './recording.ts';
import { readUsed } from '../flight/request-facts.ts';
import { noteInstalled } from './note-installed.ts';
import { noteKept } from './note-kept.ts';
import { upgradeRecording } from './upgrade-recording.ts';
import { readDatabase } from './read-database.ts';
import { startTelling } from './tell-losses.ts';
import type { UsageNote } from '../writer/flight-writer.ts';
import type { WriterData } from '../writer/messages.ts';
import { createWriteFlights, type WriteFlights } from './write-flights.ts';

/**
 * The recorder of this process. It is kept on `globalThis`: an edit in development evaluates modules again, and must not lead to two
 * recorders with one file.
 */
type Recorder = {
  readonly readPolicy: () => Pick<RecordingState, 'policy' | 'standard' | 'allUntil'>;
  readonly recordAllUntil: (time: number) => void;
  readonly limits: RecorderLimits;
  readonly writer: WriteFlights;
  readonly open: (request: RequestContext, read: () => RecordedRequest) => Recording | undefined;
  readonly answer: (recording: Recording, response: RecordedAnswer) => void;
  readonly readMemory: () => number;
  readonly readDrops: () => DropCounts;
  readonly close: () => Promise<void>;
};

type RecordedAnswer = Pick<Answer, 'status' | 'sentBytes'>;

declare global {
  var __FLIGHT_RECORDER__: Recorder | undefined;
}

/** The recorder's own pages are recorded only when they fail. Otherwise each view of a list would be the newest line in it. */
function isOwnPage(path: string): boolean {
  return isHome(path) || recorderPages.some((page) => path === page || path.startsWith(`${page}/`));
}

/** An app of somebody else's, in whose process this recorder runs. */
type AppToRecord = {
  readonly id: string;
  /** The data folder; for a recorder elsewhere the folder of what it has not taken yet. */
  readonly folder: string;
  /** Asked for each request: the operator may change it. */
  readonly readPolicy: () => Policy;
  /** What is kept where the app has no setting. */
  readonly unset?: Policy | undefined;
  /** The recorder elsewhere. */
  readonly shipTo?: RecorderAddress | undefined;
  /** What the app runs. */
  readonly installed?: readonly InstalledPackage[] | undefined;
  /** Its components tell when they began, waited and ended. */
  readonly isTimed?: boolean | undefined;
};

/** Which app is recorded, where to, and what of it. */
type Target = {
  readonly app: string;
  readonly data: Pick<WriterData, 'folder' | 'database' | 'shipTo'>;
  readonly readPolicy: () => Policy;
  readonly readAge: AgeClock;
  /** Pages of which only failures are recorded. */
  readonly isOwnPage: (path: string) => boolean;
  /** Another process shows the recording, and does not know what was lost in this one. */
  readonly tellsLosses: boolean;
  readonly isTimed: boolean;
};

/** A response that is neither read to its end nor given up counts as over after this. Our pages take less than a tenth of it. */
const openLimitMs = 10 * 60_000;
const sweepMs = 60_000;

export type RecorderOptions = {
  /** Shows a sink every Flight stream that is rendered, until the function that it returns is called. */
  readonly addSink?: (sink: FlightSink) => () => void;
  /** Which build answers the requests. */
  readonly build?: string;
  /** False while the disk is full. */
  readonly hasRoom?: () => boolean;
  /** Says how old a flight is. */
  readonly readAge?: AgeClock;
  /** Until when everything is recorded, whatever `RECORD` says: asked for before a restart. Milliseconds since 1970. */
  readonly allUntil?: number;
  /** Without it this server itself is recorded. */
  readonly app?: AppToRecord | undefined;
};

/** Where nothing sets the clock. */
function readWallClock(): ReturnType<AgeClock> {
  return { now: Date.now(), waitsUntil: undefined, wall: Date.now() };
}

/** An age clock for a file that another process keeps: what is too old is deleted there, by a clock that somebody watches. */
function readNoClock(): ReturnType<AgeClock> {
  return { now: 0, waitsUntil: undefined, wall: 0 };
}

function chooseTarget({ app, readAge = readWallClock }: RecorderOptions): Target {
  if (app) {
    const { id, folder, readPolicy: read, shipTo, isTimed = false } = app;
    const data = shipTo ? { folder, shipTo } : { folder, ...readDatabase() };
    return {
      app: id,
      data,
      readPolicy: read,
      readAge: readNoClock,
      isOwnPage: () => false,
      tellsLosses: true,
      isTimed,
    };
  }
  const policy = readPolicy(readSetting);
  const data = { folder: dataFolder(), ...readDatabase() };
  return { app: ownApp, data, readPolicy: () => policy, readAge, isOwnPage, tellsLosses: false, isTimed: false };
}

type OpenFlightsParts = {
  readonly app: string;
  readonly writer: WriteFlights;
  readonly budget: Budget;
  readonly drops: Drops;
  readonly isKept: (recording: Recording) => boolean;
};

/** Flights that are being sent: each ends once, is written or not, and is forgotten. */
function createOpenFlights({ app, writer, budget, drops, isKept }: OpenFlightsParts) {
  const openFlights = new Set<Recording>();

  function finish(recording: Recording): void {
    openFlights.delete(recording);
    const spans = takeSpans(recording);
    if (isKept(recording)) {
      if (spans) writer.addSpans(app, spans);
      const { flight } = recording;
      const { head, body } = describeRecording(recording, writer.isNewEtag);
      const isLost = flight.status === 'ended' && flight.bytes.isOverBudget();
      if (isLost || !writer.add(head, body)) drops.count(writer.fullReason(), 1);
    }
    discardFlight(recording);
  }

  /** After the response has been handed to the socket, and before the next event: see docs/decisions/002-renderer.md. */
  function finishWhenComplete(recording: Recording): void {
    if (!recording.answer || recording.flight.status === 'open') return;
    process.nextTick(finish, recording);
  }

  function observe(start: FlightStart): FlightTap | undefined {
    const recording = findRecording(start.request);
    if (!recording) return undefined;
    openFlights.add(recording);
    return tapRecording(recording, start, { budget, onEnd: () => finishWhenComplete(recording) });
  }

  /** A response that is neither read to its end nor given up. */
  function endOverdue(): void {
    for (const recording of openFlights) {
      if (readElapsed(recording) < openLimitMs || recording.flight.status !== 'open') continue;
      recording.flight = {
        ...recording.flight,
        status: 'ended',
        outcome: 'left',
        endedMs: readElapsed(recording),
        size: undefined,
      };
      recording.answer ??= { status: 0, ms: readElapsed(recording) };
      finish(recording);
    }
  }

  return {
    observe,
    finishWhenComplete,
    endOverdue,
    /** Nothing of it was sent. */
    drop(recording: Recording): void {
      openFlights.delete(recording);
      discardFlight(recording);
    },
  };
}

function createRecorder(target: Target, limits: RecorderLimits, options: RecorderOptions): Recorder {
  const { app, readAge, isTimed } = target;
  const { addSink, build = '', hasRoom = () => true, allUntil = 0 } = options;
  const budget = createBudget();
  const drops = createDrops();
  const age = new Float64Array(new SharedArrayBuffer(2 * Float64Array.BYTES_PER_ELEMENT));
  const writer = createWriteFlights({
    data: { ...target.data, bytesLimit: limits.bytes, ageMs: limits.ageMs, age: age.buffer },
    budget,
    drops,
    hasRoom,
    onSending: () => hits.drain(),
    onWritten: ({ lastId }) => tellWritten(lastId),
  });
  const hits = createHitCounts((head, file) => {
    if (!writer.add(head, takeFileBody(file, writer.isNewEtag))) drops.count(writer.fullReason(), head.hits);
  });

  let until = allUntil;

  function policyNow(): Policy {
    return readAllLeftMs(until) > 0 ? { mode: 'all' } : target.readPolicy();
  }

  function isKept(recording: Recording): boolean {
    if (!belongsToPage(recording)) return false;
    if (isFailure(recording)) return true;
    return !target.isOwnPage(recording.request.path) && keepsSuccess(policyNow(), recording.request.traceId);
  }

  const { observe, finishWhenComplete, endOverdue, drop } = createOpenFlights({ app, writer, budget, drops, isKept });

  /** True when the hit was counted together with others, and is not a flight of its own. */
  function isCounted(recording: Recording): boolean {
    if (!recording.request.prerendered || !isKept(recording) || !hits.count(recording)) return false;
    writer.plan();
    return true;
  }

  function tellAge(): void {
    const { now, waitsUntil } = readAge();
    age.set([now, waitsUntil ?? 0]);
  }

  function sweep(): void {
    tellAge();
    observeOrNot();
    endOverdue();
  }

  tellAge();
  let removeSink: (() => void) | undefined;

  /** Streams are only looked at while something is recorded. */
  function observeOrNot(): void {
    if (policyNow().mode !== 'off') {
      removeSink ??= addSink?.(observe);
      return;
    }
    removeSink?.();
    removeSink = undefined;
  }

  observeOrNot();
  const { installed, shipTo, unset } = options.app ?? {};
  if (installed && !shipTo) noteInstalled(writer, app, installed);
  if (unset && !shipTo) noteKept(writer, app, unset);
  const stopTelling = target.tellsLosses ? startTelling(app, writer, drops.read) : async () => undefined;
  const sweeper = setInterval(sweep, sweepMs).unref();
  const stopWatching = isTimed ? watchRequests() : undefined;

  return {
    readPolicy: () => ({ policy: policyNow(), standard: target.readPolicy(), allUntil: until }),
    recordAllUntil(time) {
      until = time;
      observeOrNot();
    },
    limits,
    writer,
    open(request, read) {
      const { kind } = request;
      if (policyNow().mode === 'off' || kind === 'other' || request.method === 'HEAD') return undefined;
      // The operator has begun to record.
      if (!removeSink) observeOrNot();
      const raw = read();
      const used = kind === 'document' ? [] : readUsed(raw.headers);
      if (used.length > 0) writer.note({ time: request.startedAt, used, closedTrace: undefined });
      const recording = createRecording(request, { app, kind, build }, raw);
      // A file has no stream that could be observed.
      if (!request.prerendered) attachRecording(recording, isTimed);
      return recording;
    },
    answer(recording, response) {
      recording.answer = { status: response.status, ms: readElapsed(recording), sentBytes: response.sentBytes };
      if (isCounted(recording)) return;
      if (!isFlightSent(recording.answer)) {
        drop(recording);
      }
      finishWhenComplete(recording);
    },
    readMemory: () => budget.used(),
    readDrops: () => drops.read(),
    async close() {
      removeSink?.();
      stopWatching?.();
      clearInterval(sweeper);
      // A recording that was answered in this turn is finished at the turn's end.
      await nextTurn();
      await stopTelling();
      await writer.close();
    },
  };
}

/**
 * Begins to record what `RECORD` says. Called before the first request is answered.
 * @returns a function that writes what waits and ends it
 * @throws with one line for the operator when `RECORD`, `RECORD_MIB` or `RECORD_DAYS` cannot be understood
 */
export async function startRecorder(options: RecorderOptions = {}): Promise<() => Promise<void>> {
  const [target, limits] = [chooseTarget(options), readLimits(readSetting)];
  await globalThis.__FLIGHT_RECORDER__?.close();
  const recorder = createRecorder(target, limits, options);
  globalThis.__FLIGHT_RECORDER__ = recorder;
  if (!options.app) void upgradeRecording(recorder.writer);
  return async function stopRecorder() {
    if (globalThis.__FLIGHT_RECORDER__ === recorder) globalThis.__FLIGHT_RECORDER__ = undefined;
    await recorder.close();
  };
}

/** Returns undefined when requests of this kind are not recorded, or nothing is; then it is not `read`. */
export function openRecording(request: RequestContext, read: () => RecordedRequest): Recording | undefined {
  return globalThis.__FLIGHT_RECORDER__?.open(request, read);
}

/** Call it with the response as it goes out, once for every recording that was opened. */
export function answerRecording(recording: Recording, response: RecordedAnswer): void {
  globalThis.__FLIGHT_RECORDER__?.answer(recording, response);
}

/** Records everything until then, whatever `RECORD` says. @param time milliseconds since 1970; 0: as `RECORD` says, at once */
export function recordAllUntil(time: number): void {
  globalThis.__FLIGHT_RECORDER__?.recordAllUntil(time);
}

/** Keeps what a browser tells about its prefetches. */
export function noteUsage(note: UsageNote): void {
  const recorder = globalThis.__FLIGHT_RECORDER__;
  if (recorder && recorder.readPolicy().policy.mode !== 'off') recorder.writer.note(note);
}

/** Tells others of errors that were stored, where an endpoint for telemetry is set. */
export function tellErrors(errors: readonly ExportedError[]): void {
  globalThis.__FLIGHT_RECORDER__?.writer.tellErrors(errors);
}

export type RecordingState = {
  /** What is recorded now, and what `RECORD` says. They differ until `allUntil`. */
  readonly policy: Policy;
  readonly standard: Policy;
  /** Milliseconds since 1970; 0: nobody asked for everything. */
  readonly allUntil: number;
  readonly limits: RecorderLimits;
  readonly memoryLimit: number;
  readonly memoryBytes: number;
  /** Of the recording, when its writer answered last. */
  readonly bytes: number | undefined;
  /** Since the process started. */
  readonly drops: DropCounts;
};

/** What is being recorded; undefined before the start, and where there is no recorder. */
export function readRecordingState(): RecordingState | undefined {
  const recorder = globalThis.__FLIGHT_RECORDER__;
  if (!recorder) return undefined;
  const { limits } = recorder;
  return {
    ...recorder.readPolicy(),
    limits,
    memoryLimit,
    memoryBytes: recorder.readMemory(),
    bytes: recorder.writer.state()?.bytes,
    drops: recorder.readDrops(),
  };
}

/** For what changes or reads the recording. @throws where there is no recorder */
export function currentWriter(): WriteFlights {
  const recorder = globalThis.__FLIGHT_RECORDER__;
  if (!recorder) throw new Error('The recorder is not running');
  return recorder.writer;
}
