import 'server-only';

import { experiments } from 'virtual:flight-recorder/experiments';

import { experimentPath } from '#src/server/http/addresses.ts';
import { describeError } from '#boundary';
import { runInRequest } from '#src/server/http/request-context.ts';
import { createContext } from '#src/server/http/create-request-context.ts';
import { serverSettings } from '#src/server/http/server-settings.ts';
import { findFlightOfRequest, readFlight } from '#src/flights/for-operator/queries.ts';
import { waitForFlight } from '#src/flights/for-operator/wait-for-flight.ts';
import { listSaves, type RecordedSave } from '#src/flights/for-operator/list-saves.ts';
import type { FlightSummary } from '#src/flights/flight/flight-record.ts';
import { listPayloadChunks, readPayload } from '#src/flights/flight/read-payload.ts';
import { currentWriter, readRecordingState } from '#src/flights/recorder/recorder.ts';

import { describeProblem } from '../list/experiment.ts';
import { describeChange, fewestTimed, type MeasuredSave } from './describe-change.ts';
import { measureFlight, type FlightMeasure } from './measure-flight.ts';
import { readProblem } from './read-problem.ts';
import { createTrace, renderExperiment, type Rendering } from './render-experiment.ts';
import { savesShown, type SaveMessage, type SaveProblem, type SaveState, type ShownSave } from './save-messages.ts';

/**
 * A save in development is measured by rendering the experiment again, by real requests that are recorded as others are. The saves
 * live in the recording, so a restart keeps them; here are only their numbers, which decoding them again would give.
 *
 * The first rendering of a save tells its bytes at once. It also compiles what changed, so times are of the renderings after it:
 * `fewestTimed` of them, when something waits at all and they do not take too long together.
 *
 * A save that throws is no good one: it is neither shown among them nor compared with, unless the experiment says that it fails, or
 * catches the error itself.
 */

/** All renderings of one save together. With longer ones, a person has saved again before there is an answer. */
const longestMs = 8_000;
/** A stalled experiment never ends. */
const renderingLimitMs = 15_000;

/** Numbers of saves by their trace, the newest last; a process measures a few hundred in a day. */
const keptSaves = 500;

type Kept = { readonly flights: number; readonly save: MeasuredSave };

declare global {
  /** Kept where an edit does not evaluate it again: a page that is loaded later shows the same. */
  var __FLIGHT_LAB_SAVES__: { readonly saves: Map<string, Kept>; readonly states: Map<string, SaveState> } | undefined;
}

function memory() {
  return (globalThis.__FLIGHT_LAB_SAVES__ ??= { saves: new Map(), states: new Map() });
}

function noteState(name: string, state: SaveState): void {
  memory().states.set(name, state);
}

async function measureRecorded(id: number): Promise<FlightMeasure | undefined> {
  const flight = await readFlight(id);
  if (!flight || flight.isCut || flight.outcome !== 'complete') return undefined;
  return measureFlight({ bytes: readPayload(flight), chunks: listPayloadChunks(flight) });
}

/** @param isTimed whether the times of its other renderings are read too, if they are not known */
async function readSave({ traceId, flights }: RecordedSave, isTimed: boolean): Promise<MeasuredSave | undefined> {
  const { saves } = memory();
  const known = saves.get(traceId);
  const wanted = isTimed ? flights.length : 1;
  if (known && known.flights >= wanted) return known.save;
  const [first, ...others] = flights;
  const measure = known?.save.measure ?? (first && (await measureRecorded(first.id)));
  if (!measure) return undefined;
  const timed: FlightMeasure['waits'][] = [];
  for (const { id } of isTimed ? others : []) {
    const other = await measureRecorded(id);
    if (other) timed.push(other.waits);
  }
  const save = { measure, waits: timed };
  saves.set(traceId, { flights: wanted, save });
  const oldest = saves.keys().next().value;
  if (saves.size > keptSaves && oldest !== undefined) saves.delete(oldest);
  return save;
}

function mayFail(name: string): boolean {
  return experiments.some((one) => one.name === name && one.status === 'working' && one.fails);
}

function isAnswered(flight: FlightSummary | undefined, name: string): boolean {
  if (flight === undefined) return false;
  return mayFail(name) || flight.status < 400;
}

/** An error within a boundary of the experiment's own is what it shows. */
function isCaught({ digests }: FlightSummary, measure: FlightMeasure | undefined, name: string): boolean {
  return digests.length === 0 || measure?.caught !== undefined || mayFail(name);
}

/** An element without a type throws in the browser alone. */
function canBeShown({ untyped }: FlightMeasure, name: string): boolean {
  return untyped === 0 || mayFail(name);
}

const withoutType =
  'An element has no type: what is written as a component is undefined. Does the file that it is imported from export it?';

/** What is wrong with the file itself: its page, and so what a rendering would measure, is the lab's own text about it. */
function findFileProblem(name: string): SaveProblem | undefined {
  const problem = experiments.find((one) => one.name === name)?.problem;
  return problem && { message: describeProblem(problem), file: undefined, line: undefined };
}

/** What the recording has of an experiment's saves. For the operator. */
async function findSaves(name: string): Promise<SaveMessage> {
  const recorded = await listSaves(experimentPath(name), savesShown * 2);
  const answered: RecordedSave[] = [];
  for (const one of recorded) {
    const [first] = one.flights;
    if (!first || !isAnswered(first, name)) continue;
    if (first.digests.length === 0 || isCaught(first, (await readSave(one, false))?.measure, name)) answered.push(one);
  }
  const good = answered.slice(-savesShown - 1);
  const saves: ShownSave[] = [];
  let before: { readonly save: MeasuredSave; readonly flight: number } | undefined;
  for (const [index, one] of good.entries()) {
    const [first] = one.flights;
    // Times are compared of the newest two; what was told of earlier ones is known still.
    const save = await readSave(one, index >= good.length - 2);
    if (!save || !first || !canBeShown(save.measure, name)) continue;
    const { bytes, gzip, leftOut, caught } = save.measure;
    const change = before && describeChange(before.save, save);
    const [flight, time] = [first.id, first.startedAt];
    saves.push({ flight, time, bytes, gzip, leftOut, caught, change, before: before?.flight });
    before = { save, flight: first.id };
  }
  return { experiment: name, saves: saves.slice(-savesShown), state: memory().states.get(name) ?? { kind: 'waiting' } };
}

/** Runs what reads the recording for whoever sits at this machine: nobody has to sign in. */
function runAsDeveloper<T>(run: () => Promise<T>): Promise<T> {
  const signal = new AbortController().signal;
  const context = createContext({ method: 'GET', path: '/', headers: new Headers(), address: '', signal }, false);
  context.operator = { kind: 'login-off' };
  return runInRequest(context, run);
}

/** Why nothing can be measured; undefined where it can. */
function findObstacle(): string | undefined {
  if (serverSettings().auth === 'on') return 'the login is on, and the dev server has no session';
  const mode = readRecordingState()?.policy.mode;
  return mode === 'all' ? undefined : `RECORD is ${mode ?? 'off'}, and a save needs a recording of all`;
}

async function findRecorded({ requestId }: Rendering, signal: AbortSignal): Promise<FlightSummary | undefined> {
  // The response is over; its flight goes to the writer at the end of that turn, which has passed.
  await currentWriter().flush();
  // An edit may have made the server anew meanwhile, and with it the recorder: the one before is still writing.
  return (await findFlightOfRequest(requestId)) ?? (await waitForFlight(requestId, signal));
}

export type MeasureOptions = {
  /** Of this dev server. */
  readonly origin: string;
  /** Aborted by the next save. */
  readonly signal: AbortSignal;
  /** Called when the first rendering begins to answer. */
  readonly onBegun: () => void;
  /** Called when the first rendering is over: whether it was a good one. */
  readonly onRendered: (isGood: boolean) => void;
  readonly onMessage: (message: SaveMessage) => void;
};

/** Whether there is a good save to go back to. */
export async function hasGoodSave(name: string): Promise<boolean> {
  return (await readSaves(name)).saves.length > 0;
}

/** What is known of an experiment now. */
export async function readSaves(name: string): Promise<SaveMessage> {
  return runAsDeveloper(() => findSaves(name));
}

/** The same, with what became of the last save. */
export async function describeSave(name: string, state: SaveState): Promise<SaveMessage> {
  noteState(name, state);
  return await readSaves(name);
}

async function renderTimed(name: string, { origin, signal }: MeasureOptions, trace: string): Promise<SaveState> {
  const begun = performance.now();
  for (let timed = 0; timed < fewestTimed; timed++) {
    const startedAt = performance.now();
    await renderExperiment(name, { origin, trace, signal });
    const left = longestMs - (performance.now() - begun);
    if (timed + 1 < fewestTimed && performance.now() - startedAt > left) return { kind: 'measured', times: 'too-slow' };
  }
  await currentWriter().flush();
  return { kind: 'measured', times: 'compared' };
}

/** Measures a save. Never throws: what keeps it from being measured is in the message. */
export async function measureSave(name: string, options: MeasureOptions): Promise<void> {
  const { origin, onBegun, onRendered, onMessage } = options;
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(renderingLimitMs)]);
  const obstacle = findObstacle();
  if (obstacle !== undefined) {
    onRendered(true);
    onMessage(await describeSave(name, { kind: 'not-measured', reason: obstacle }));
    return;
  }
  const fileProblem = findFileProblem(name);
  if (fileProblem) {
    onRendered(false);
    onMessage(await describeSave(name, { kind: 'broken', problem: fileProblem, isKept: false }));
    return;
  }
  try {
    const trace = createTrace();
    let rendering = await renderExperiment(name, { origin, trace, signal, onBegun });
    await runAsDeveloper(async () => {
      let flight = await findRecorded(rendering, signal);
      if (!flight) {
        rendering = await renderExperiment(name, { origin, trace, signal });
        flight = await findRecorded(rendering, signal);
      }
      if (!flight && rendering.status < 400 && rendering.digest === undefined) {
        onRendered(true);
        onMessage(await describeSave(name, { kind: 'not-measured', reason: 'its flight was not recorded' }));
        return;
      }
      const measured = flight && (await measureRecorded(flight.id));
      if (!flight || !isAnswered(flight, name) || !isCaught(flight, measured, name)) {
        onRendered(false);
        const digest = flight?.digests[0] ?? rendering.digest;
        onMessage(
          await describeSave(name, { kind: 'broken', problem: readProblem(digest, rendering.status), isKept: true }),
        );
        return;
      }
      if (measured && !canBeShown(measured, name)) {
        onRendered(false);
        const problem = { message: withoutType, file: undefined, line: undefined };
        onMessage(await describeSave(name, { kind: 'broken', problem, isKept: true }));
        return;
      }
      onRendered(true);
      if (!measured) {
        onMessage(await describeSave(name, { kind: 'not-measured', reason: 'its flight was not recorded as a whole' }));
        return;
      }
      noteState(name, { kind: 'measured', times: 'none' });
      onMessage(await findSaves(name));
      if (measured.waits.length === 0) return;
      onMessage(await describeSave(name, await renderTimed(name, { ...options, signal }, trace)));
    });
  } catch (error) {
    // The next save measures the same again.
    if (options.signal.aborted) return;
    onRendered(true);
    const isTooLong = signal.aborted;
    const reason = isTooLong ? `it was not rendered within ${renderingLimitMs / 1000} s` : describeError(error);
    onMessage(await describeSave(name, { kind: 'not-measured', reason }));
  }
}

// The dev server imports this file by itself. Without this, a change of what it imports would make the whole server begin anew.
import.meta.hot?.accept();
