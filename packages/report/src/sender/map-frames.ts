import { existsSync, readFileSync, realpathSync, statSync, type Stats } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { readInlineMap } from '../source-map/read-inline-map.ts';
import { parseSourceMap, type SourceMap } from '../source-map/source-map.ts';
import { parseStack, type StackFrame } from '../stack.ts';

import type { AppErrorCause, AppErrorFrame } from './app-error.ts';
import { nameFunction } from './name-function.ts';

/**
 * Frames of a built app with their sources, where a map stands beside the built file or in it: `page.js` and `page.js.map`, also maps
 * that are made of sections. It runs in the app's own process, after the answer was sent.
 *
 * A stack is text, and a visitor may have written a part of it. So only files below the project's root are opened, and of them
 * only maps and files whose names end like source code.
 *
 * **A file that came after the process is of another build.** Its map would name another line, with another line's text. So its frames are
 * read with the map that this process had before, or they stay as they are. The same goes for a file that a build has removed.
 */

/** Reading one blocks for some 10 ms a megabyte. The largest of a stock Next app has 1.4 MB. */
const largestMapBytes = 10 * 1024 * 1024;
const largestSourceBytes = 1024 * 1024;
/** Errors come in groups, from a few files. A map takes some twice its size in memory, and mostly has less than 100 kB. */
const mapBytesKept = 8 * 1024 * 1024;
const contextLinesEachSide = 5;
const framesWithContext = 5;
/** What called the code of a cause mostly stands in the error above it, too. */
const causeFramesKept = 10;
/** A line of a minified file tells nobody anything. */
const longestLine = 300;

const sourceName = /\.[cm]?[jt]sx?$/;
const buildFolder = /(?:^|\/)(?:\.[^/]+|dist|build|out|node_modules)\//;
/** `webpack://_N_E/./app/page.js?1234`, `turbopack:///[project]/app/page.js` */
const bundlerUrl =
  /^(?:webpack|turbopack|rsc|webpack-internal):\/\/(?:[^/]*)\/(?:\[project\]\/)?(?:\([^)]*\)\/)?(?:\.\/)?/;

/** Whose frames they are. */
export type Running = {
  /** The project's folder: sources are named from it, and relative files belong to it. */
  readonly root: string;
  /**
   * When the process started that threw, in milliseconds since 1970. `remade` where files are made anew as it runs, as in development.
   * `unknown` where a build has come, and nobody knows whether the process is of it: no map is read.
   */
  readonly startedAt: number | 'remade' | 'unknown';
};

export type Files = {
  /** Asked before a file is read from the disk, with its size: where the frames are anybody's text, so many may be. */
  readonly mayRead: (bytes: number) => boolean;
  /** Lines of sources that were read for other frames of the same error. */
  readonly sources: Map<string, readonly string[] | undefined>;
};

type Reading = Running & Files;

type Loaded = {
  readonly modified: number;
  readonly bytes: number;
  readonly map: SourceMap | undefined;
  /** Of the process that it is the map of. */
  readonly startedAt: Running['startedAt'];
};

/** By the file with the map: that beside the built file, or the built file. */
const maps = new Map<string, Loaded>();
/** Built files that have no map in them, and when they were written: each is read once, and takes the place of no map. */
const plainScripts = new Map<string, number>();
/** A large app has as many built files. */
const plainScriptsKept = 5_000;

function readMap(file: string, isScript: boolean): SourceMap | undefined {
  try {
    const read = readFileSync(file);
    const json = isScript ? readInlineMap(read) : read;
    return json && parseSourceMap(json.toString('utf8'));
  } catch {
    // It is being written, or is none. The frame stays as it is.
    return undefined;
  }
}

/** When it was put there: a copy may keep the time at which it was written. */
function mayBeOfAnother({ ctimeMs }: Stats, { startedAt }: Running): boolean {
  return startedAt === 'unknown' || (startedAt !== 'remade' && ctimeMs > startedAt);
}

function keepMap(file: string, loaded: Loaded): void {
  maps.delete(file);
  maps.set(file, loaded);
  let kept = 0;
  for (const [name, { bytes }] of [...maps].toReversed()) {
    kept += bytes;
    if (kept > mapBytesKept && name !== file) maps.delete(name);
  }
}

/** The map of this process, where the file is gone or is another build's. */
function findKnown(file: string, { startedAt }: Running): SourceMap | undefined {
  const known = maps.get(file);
  return typeof startedAt === 'number' && known?.startedAt === startedAt ? known.map : undefined;
}

/** A build that replaces the file is noticed. */
function openMap(file: string, isScript: boolean, reading: Reading): SourceMap | undefined {
  const { startedAt } = reading;
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found?.isFile() || mayBeOfAnother(found, reading)) return findKnown(file, reading);
  if (found.size > largestMapBytes) return undefined;
  const { mtimeMs: modified, size: bytes } = found;
  const known = maps.get(file);
  if (known?.modified === modified) {
    keepMap(file, { ...known, startedAt });
    return known.map;
  }
  if (plainScripts.get(file) === modified || !reading.mayRead(bytes)) return undefined;
  const map = readMap(file, isScript);
  if (isScript && !map) {
    if (plainScripts.size >= plainScriptsKept) plainScripts.clear();
    plainScripts.set(file, modified);
    return undefined;
  }
  keepMap(file, { modified, bytes, map, startedAt });
  return map;
}

/** The map beside `file`, else the one in it. */
function findMap(file: string, isBuilt: boolean, reading: Reading): SourceMap | undefined {
  const beside = `${file}.map`;
  if (existsSync(beside) || findKnown(beside, reading)) return openMap(beside, false, reading);
  return isBuilt && sourceName.test(file) ? openMap(file, true, reading) : undefined;
}

function toFile(file: string, root: string): string | undefined {
  try {
    return path.resolve(root, file.startsWith('file:') ? fileURLToPath(file.replace(/[?#].*$/, '')) : file);
  } catch {
    return undefined;
  }
}

/** Gives the path from the root, with `/`. It begins with `..` outside of it. */
function toRelative(file: string, root: string): string {
  return path.relative(root, file).split(path.sep).join('/');
}

function toSource(source: string, folder: string, root: string): string {
  const plain = source.replace(/\?[\w=&-]*$/, '');
  if (bundlerUrl.test(plain)) return plain.replace(bundlerUrl, '');
  return toRelative(toFile(plain.startsWith('file:') ? plain : path.resolve(folder, plain), root) ?? plain, root);
}

function isInApp(source: string): boolean {
  return !source.startsWith('..') && !path.isAbsolute(source) && !/(?:^|\/)node_modules\//.test(source);
}

/** Names a frame without the minifier's class: the `g` of `g.total` is another one in the next build. */
function nameFrame({ fn, line, column }: AppErrorFrame, lines: readonly string[]): string {
  const parts = fn.split('.');
  if (parts.every((part) => part.length > 2)) return fn;
  const last = parts.at(-1) ?? '';
  return nameFunction(lines, line, column) || (last.length > 2 ? last : '');
}

function withLines(frame: AppErrorFrame, lines: readonly string[] | undefined, hasRoom: boolean): AppErrorFrame {
  if (!lines || !frame.inApp) return frame;
  const start = Math.max(0, frame.line - 1 - contextLinesEachSide);
  const around = lines.slice(start, frame.line + contextLinesEachSide).map((line) => line.slice(0, longestLine));
  const fn = nameFrame(frame, lines);
  return { ...frame, fn, ...(hasRoom ? { context: { firstLine: start + 1, lines: around } } : {}) };
}

function splitLines(text: string | undefined): readonly string[] | undefined {
  return text ? text.split(/\r?\n/) : undefined;
}

function readSource(file: string, reading: Reading): readonly string[] | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found?.isFile() || found.size > largestSourceBytes || mayBeOfAnother(found, reading)) return undefined;
  // A link may lead to any file of the machine.
  if (!isInApp(toRelative(realpathSync(file), realpathSync(reading.root)))) return undefined;
  return reading.mayRead(found.size) ? splitLines(readFileSync(file, 'utf8')) : undefined;
}

/** Frames of one stack are often of one file, and a large one takes milliseconds. */
function readOnce({ sources }: Reading, name: string, read: () => readonly string[] | undefined) {
  if (!sources.has(name)) sources.set(name, read());
  return sources.get(name);
}

function mapFrame(frame: StackFrame, all: readonly StackFrame[], reading: Reading, hasRoom: boolean): AppErrorFrame {
  const { root } = reading;
  const plain = { ...frame, fn: frame.fn === '<unknown>' ? '' : frame.fn, inApp: false };
  const file = toFile(frame.file, root);
  const place = file === undefined ? '..' : toRelative(file, root);
  if (file === undefined || !isInApp(place)) return plain;
  const map = findMap(file, buildFolder.test(place), reading);
  if (map) {
    const found = map.find(
      frame,
      all.filter((other) => other.file === frame.file),
    );
    const source = found ? toSource(found.source, path.dirname(file), root) : '';
    // What a bundler itself wrote around the app's code has no name: `webpack://_N_E/?d2d4`.
    if (!found || source === '') return plain;
    const at = { ...plain, source, line: found.line, column: found.column, inApp: isInApp(source) };
    return withLines(
      at,
      readOnce(reading, `${file} ${source}`, () => splitLines(found.content)),
      hasRoom,
    );
  }
  // Not bundled: the file is the source. A bundle without a map is no code that anybody wrote.
  if (buildFolder.test(place) || !sourceName.test(place)) return plain;
  const lines = readOnce(reading, file, () => readSource(file, reading));
  return withLines({ ...plain, source: place, inApp: true }, lines, hasRoom);
}

/** The frames of a stack with their sources. Never throws: a frame that cannot be resolved stays as it is. */
export function mapStack(stack: string, message: string, running: Running): AppErrorFrame[] {
  return mapFrames(parseStack(stack, message), running);
}

/** The causes of an error, each with its frames. */
export function mapCauses(causes: readonly AppErrorCause[], running: Running): AppErrorCause[] {
  return causes.map((cause) => ({
    ...cause,
    frames: mapFrames(parseStack(cause.stack, cause.message).slice(0, causeFramesKept), running),
  }));
}

export function mapFrames(frames: readonly StackFrame[], running: Running & Partial<Files>): AppErrorFrame[] {
  const reading: Reading = { mayRead: () => true, sources: new Map(), ...running };
  let room = framesWithContext;
  return frames.map((frame) => {
    try {
      const mapped = mapFrame(frame, frames, reading, room > 0);
      if (mapped.context) room -= 1;
      return mapped;
    } catch {
      return { ...frame, inApp: false };
    }
  });
}

/** This process, for an app that reports its own errors. */
export function describeProcess(root: string): Running {
  return { root, startedAt: process.env.NODE_ENV === 'development' ? 'remade' : performance.timeOrigin };
}
