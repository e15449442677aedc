import 'server-only';

import { describeError } from '#boundary';
import { writeLog } from '#src/server/http/log.ts';
import { readBuiltMap } from '#src/faults/event/client-maps.ts';
import { areModulesServed } from '#src/runtime/errors/served-modules.ts';
import { resolveServedFrames, type SourceFrame } from '#src/runtime/errors/source-maps.ts';
import type { StackFrame } from '#report/stack.ts';
import { openStore } from '#src/store/open-store.ts';
import { ownApp } from '#src/store/own-app.ts';

import { askMap } from './ask-maps.ts';
import { findMap } from './find-maps.ts';
import { bringMap } from './keep-in-database.ts';
import type { MapPlace, ResolvedPosition } from './thread/messages.ts';
import { readDebugId } from './thread/store-map.ts';

/** The answers to the latest questions; `undefined` is an answer too. What was asked for least recently is forgotten first. */
type Latest<T> = {
  readonly has: (key: string) => boolean;
  readonly get: (key: string) => T | undefined;
  readonly set: (key: string, value: T | undefined) => void;
};

function createLatest<T>(most: number): Latest<T> {
  const answers = new Map<string, T | undefined>();
  function set(key: string, value: T | undefined): void {
    answers.delete(key);
    answers.set(key, value);
    const oldest = answers.keys().next().value;
    if (answers.size > most && oldest !== undefined) answers.delete(oldest);
  }
  return {
    has: (key) => answers.has(key),
    get(key) {
      const value = answers.get(key);
      if (answers.has(key)) set(key, value);
      return value;
    },
    set,
  };
}

/** A frame as an SDK sent it. `debugId` names the file's map, where the SDK knows it. */
export type FrameToResolve = StackFrame & { readonly debugId?: string };

/** An SDK waits for the answer to its report. A map that is not read by then is read when the error is looked at. */
const deadlineMs = 2_000;
/** The thread keeps to the deadline itself. A database that is another process and does not answer has no other bound. */
const databaseLateMs = 500;
const framesWithContext = 5;
/** Of positions, each with up to eleven lines of source: some 4 MB. A flood of one error asks the thread once. */
const positionsKept = 2_000;
/** Larger numbers are no positions, and no map has them. */
const largestPosition = 2 ** 31 - 1;

const latest = createLatest<ResolvedPosition>(positionsKept);

function isOwnCode(file: string): boolean {
  return file !== '' && !file.startsWith('node:') && !/(?:^|[\\/])node_modules[\\/]/.test(file);
}

/** Our own scripts have maps. One without is of a build that is forgotten, and its minified names would make a fault of their own. */
function keepFrame(app: string, { fn, file, line, column, debugId }: FrameToResolve): SourceFrame {
  const inApp = app !== ownApp && isOwnCode(file);
  return { fn, file, line, column, inApp, ...(debugId === undefined ? {} : { debugId }) };
}

type Group = { readonly place: MapPlace; readonly frames: FrameToResolve[] };

function isPosition({ line, column }: StackFrame): boolean {
  return line >= 1 && column >= 1 && line <= largestPosition && column <= largestPosition;
}

async function findPlace(app: string, release: string, frame: FrameToResolve): Promise<MapPlace | undefined> {
  const built = app === ownApp ? readBuiltMap(frame.file, process.cwd()) : undefined;
  return built ?? (await findMap(app, release, { file: frame.file, debugId: readDebugId(frame.debugId) }));
}

async function groupByMap(app: string, release: string, frames: readonly FrameToResolve[]): Promise<readonly Group[]> {
  const groups = new Map<string, Group>();
  for (const frame of frames) {
    const place = isPosition(frame) ? await findPlace(app, release, frame) : undefined;
    if (!place) continue;
    const group = groups.get(place.file) ?? { place, frames: [] };
    group.frames.push(frame);
    groups.set(place.file, group);
  }
  return [...groups.values()];
}

function keyOf(place: MapPlace, { line, column }: StackFrame): string {
  return `${line}:${column} ${place.file}`;
}

/** What is not here in time is here for the next who asks. */
async function isHere(place: MapPlace, endsAt: number): Promise<boolean> {
  if (place.type === 'built') return true;
  const { db } = await openStore();
  const { promise: late, resolve: giveUp } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => giveUp(false), Math.max(0, endsAt - performance.now()));
  const brought = bringMap(db, place.file).catch((error: unknown) => {
    writeLog('warn', 'source-map-not-read', { file: place.file, reason: describeError(error) });
    return false;
  });
  return Promise.race([brought, late]).finally(() => clearTimeout(timer));
}

async function resolveGroup({ place, frames }: Group, endsAt: number): Promise<void> {
  const asked = frames.filter((frame) => !latest.has(keyOf(place, frame)));
  if (asked.length === 0) return;
  if (!(await isHere(place, endsAt))) return;
  const positions = asked.map(({ line, column }) => ({ line, column }));
  const found = await askMap(place, positions, Math.max(0, endsAt - performance.now()));
  if (!found) return;
  for (const [index, frame] of asked.entries()) latest.set(keyOf(place, frame), found[index]);
}

function isMinified(fn: string): boolean {
  return (fn.split('.').at(-1) ?? '').length <= 2;
}

/** Takes off the minifier's class: the `g` of `g.total` is another one in the next build. */
function withoutMinified(fn: string): string {
  const parts = fn.split('.');
  return parts.slice(parts.findLastIndex((part) => part.length <= 2) + 1).join('.');
}

/**
 * The source says it. A map without its sources names what stands at a position: at a call, the function that is called. So the name
 * of a frame's function is what its caller's position says, where the caller is the app's own code: what React calls is "Component",
 * whatever it is. Where nothing says it, no name is better than the minifier's.
 */
function nameFunction(frame: StackFrame, found: ResolvedPosition, caller: ResolvedPosition | undefined): string {
  if (found.functionName !== undefined) return found.functionName;
  if (!isMinified(frame.fn)) return withoutMinified(frame.fn);
  return caller?.inApp === true ? caller.name : '';
}

function applyFound(
  app: string,
  frames: readonly FrameToResolve[],
  findPosition: (frame: FrameToResolve) => ResolvedPosition | undefined,
): SourceFrame[] {
  const found = frames.map(findPosition);
  let contextsLeft = framesWithContext;
  return frames.map((frame, index) => {
    const position = found[index];
    if (!position) return keepFrame(app, frame);
    const { source, inApp, line, column, context } = position;
    const shown = contextsLeft > 0 ? context : undefined;
    if (shown) contextsLeft -= 1;
    const fn = nameFunction(frame, position, found[index + 1]);
    const told = { fn, file: frame.file, source, inApp, line, column };
    return { ...told, ...(shown ? { context: shown } : {}) };
  });
}

async function resolve(app: string, release: string, frames: readonly FrameToResolve[], endsAt: number) {
  const groups = await groupByMap(app, release, frames);
  await Promise.all(groups.map((group) => resolveGroup(group, endsAt)));
  const places = new Map(groups.flatMap(({ place, frames: ofMap }) => ofMap.map((frame) => [frame, place])));
  return applyFound(app, frames, (frame) => {
    const place = places.get(frame);
    return place && latest.get(keyOf(place, frame));
  });
}

/**
 * Frames with the names and places of the source, innermost first in and out. A frame without a map comes back as it
 * is; then its path says whether it is the app's own code. Never throws, and ends in time: after a deadline the frames
 * come back unresolved. They keep their debug id, so that they can be asked for again when a map was uploaded.
 *
 * @param release as the SDK named it; empty when it did not
 */
export async function resolveAppFrames(
  app: string,
  release: string,
  frames: readonly FrameToResolve[],
): Promise<readonly SourceFrame[]> {
  if (app === ownApp && areModulesServed()) return resolveServedFrames(frames, process.cwd());
  const unresolved = () => frames.map((frame) => keepFrame(app, frame));
  // To abort a signal makes an error with a stack, which takes 4 % of what a report takes; to clear a timer makes nothing.
  const late = Promise.withResolvers<readonly SourceFrame[]>();
  const timer = setTimeout(() => late.resolve(unresolved()), deadlineMs + databaseLateMs);
  try {
    return await Promise.race([resolve(app, release, frames, performance.now() + deadlineMs), late.promise]);
  } catch {
    // The database could not be asked: whoever stores the error will say so.
    return unresolved();
  } finally {
    clearTimeout(timer);
  }
}
