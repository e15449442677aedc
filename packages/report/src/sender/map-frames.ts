import { existsSync, readFileSync, statSync } from 'node:fs';
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
 */

/** Reading one blocks for some 10 ms a megabyte. The largest of a stock Next app has 1.4 MB. */
const largestMapBytes = 10 * 1024 * 1024;
const largestSourceBytes = 1024 * 1024;
/** Errors come in groups, from a few files. A map takes some twice its size in memory. */
const mapsKept = 10;
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

type Loaded = { readonly modified: number; readonly map: SourceMap | undefined };

/** By the file with the map: that beside the built file, or the built file. */
const maps = new Map<string, Loaded>();
/** Built files that have no map in them, and when they were written: each is read once, and takes the place of no map. */
const plainScripts = new Map<string, number>();
/** A large app has as many built files. */
const plainScriptsKept = 5_000;

function readMap(file: string, isScript: boolean): SourceMap | undefined {
  try {
    const text = readFileSync(file, 'utf8');
    const json = isScript ? readInlineMap(text) : text;
    return json === undefined ? undefined : parseSourceMap(json);
  } catch {
    // It is being written, or is none. The frame stays as it is.
    return undefined;
  }
}

/** A build that replaces the file is noticed. */
function openMap(file: string, isScript: boolean, mayRead: () => boolean): SourceMap | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found?.isFile() || found.size > largestMapBytes) return undefined;
  const known = maps.get(file);
  if (known?.modified === found.mtimeMs) {
    maps.delete(file);
    maps.set(file, known);
    return known.map;
  }
  if (plainScripts.get(file) === found.mtimeMs || !mayRead()) return undefined;
  const map = readMap(file, isScript);
  if (isScript && !map) {
    if (plainScripts.size >= plainScriptsKept) plainScripts.clear();
    plainScripts.set(file, found.mtimeMs);
    return undefined;
  }
  maps.delete(file);
  maps.set(file, { modified: found.mtimeMs, map });
  const oldest = maps.keys().next();
  if (maps.size > mapsKept && !oldest.done) maps.delete(oldest.value);
  return map;
}

/** The map beside `file`, else the one in it. */
function findMap(file: string, isBuilt: boolean, mayRead: () => boolean): SourceMap | undefined {
  const beside = `${file}.map`;
  if (existsSync(beside)) return openMap(beside, false, mayRead);
  return isBuilt && sourceName.test(file) ? openMap(file, true, mayRead) : undefined;
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

function withLines(frame: AppErrorFrame, text: string | undefined, hasRoom: boolean): AppErrorFrame {
  if (!text || !frame.inApp) return frame;
  const lines = text.split(/\r?\n/);
  const start = Math.max(0, frame.line - 1 - contextLinesEachSide);
  const around = lines.slice(start, frame.line + contextLinesEachSide).map((line) => line.slice(0, longestLine));
  const fn = nameFrame(frame, lines);
  return { ...frame, fn, ...(hasRoom ? { context: { firstLine: start + 1, lines: around } } : {}) };
}

function readSource(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found?.isFile() && found.size <= largestSourceBytes ? readFileSync(file, 'utf8') : undefined;
}

type Reading = { readonly root: string; readonly mayRead: () => boolean };

function mapFrame(
  frame: StackFrame,
  all: readonly StackFrame[],
  { root, mayRead }: Reading,
  hasRoom: boolean,
): AppErrorFrame {
  const plain = { ...frame, fn: frame.fn === '<unknown>' ? '' : frame.fn, inApp: false };
  const file = toFile(frame.file, root);
  const place = file === undefined ? '..' : toRelative(file, root);
  if (file === undefined || !isInApp(place)) return plain;
  const map = findMap(file, buildFolder.test(place), mayRead);
  if (map) {
    const found = map.find(
      frame,
      all.filter((other) => other.file === frame.file),
    );
    if (!found) return plain;
    const source = toSource(found.source, path.dirname(file), root);
    const at = { ...plain, source, line: found.line, column: found.column, inApp: isInApp(source) };
    return withLines(at, found.content, hasRoom);
  }
  // Not bundled: the file is the source. A bundle without a map is no code that anybody wrote.
  if (buildFolder.test(place) || !sourceName.test(place)) return plain;
  return withLines({ ...plain, source: place, inApp: true }, readSource(file), hasRoom);
}

/**
 * The frames of a stack with their sources. Never throws: a frame that cannot be resolved stays as it is.
 * @param root the project's folder: sources are named from it, and relative files belong to it
 */
export function mapStack(stack: string, message: string, root: string): AppErrorFrame[] {
  return mapFrames(parseStack(stack, message), root);
}

/** The causes of an error, each with its frames. */
export function mapCauses(causes: readonly AppErrorCause[], root: string): AppErrorCause[] {
  return causes.map((cause) => ({
    ...cause,
    frames: mapFrames(parseStack(cause.stack, cause.message).slice(0, causeFramesKept), root),
  }));
}

/** @param mayRead asked before a map is read from the disk: where the frames are anybody's text, so many may be */
export function mapFrames(
  frames: readonly StackFrame[],
  root: string,
  mayRead: () => boolean = () => true,
): AppErrorFrame[] {
  let room = framesWithContext;
  return frames.map((frame) => {
    try {
      const mapped = mapFrame(frame, frames, { root, mayRead }, room > 0);
      if (mapped.context) room -= 1;
      return mapped;
    } catch {
      return { ...frame, inApp: false };
    }
  });
}
