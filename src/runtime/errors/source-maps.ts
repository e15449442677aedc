import 'server-only';

import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { originalPositionFor, sourceContentFor, TraceMap } from '@jridgewell/trace-mapping';

import type { StackFrame } from './stack.ts';

/**
 * Frames of the built server point into bundles whose names and lines change with every build; a person and a
 * fingerprint both need the source. The build leaves a map beside each bundle, which is read when the first error
 * points into it and kept: there are few bundles, and errors come in groups.
 *
 * In dev, Vite's module runner has already translated the stack, so the frame's own file is the source.
 */
export type SourceFrame = StackFrame & {
  /** The source's path from the project's root, with `/`: `src/pages/index.tsx`. Undefined when it is not known. */
  readonly source?: string;
  /** True for the project's own code: not React, not a dependency, not Node. */
  readonly inApp: boolean;
  /** Source lines around the frame, for the first few frames of the project's own code. */
  readonly context?: { readonly firstLine: number; readonly lines: readonly string[] };
};

/** A map larger than this is not worth the memory on a 256 MB box: the biggest of ours is a tenth of it. */
const largestMapBytes = 20 * 1024 * 1024;
const contextLinesEachSide = 5;
const framesWithContext = 5;

type LoadedMap = { readonly map: TraceMap; readonly directory: string };

const loadedMaps = new Map<string, LoadedMap | undefined>();

function loadMap(mapFile: string): LoadedMap | undefined {
  if (loadedMaps.has(mapFile)) return loadedMaps.get(mapFile);
  let loaded: LoadedMap | undefined;
  if (existsSync(mapFile) && statSync(mapFile).size <= largestMapBytes) {
    loaded = { map: new TraceMap(readFileSync(mapFile, 'utf8')), directory: path.dirname(mapFile) };
  }
  loadedMaps.set(mapFile, loaded);
  return loaded;
}

function toPath(file: string): string | undefined {
  if (file.startsWith('file://')) return fileURLToPath(file.split('?')[0] ?? file);
  return path.isAbsolute(file) ? (file.split('?')[0] ?? file) : undefined;
}

function cutContext(text: string, line: number): NonNullable<SourceFrame['context']> {
  const lines = text.split('\n');
  const start = Math.max(0, line - 1 - contextLinesEachSide);
  return { firstLine: start + 1, lines: lines.slice(start, line + contextLinesEachSide) };
}

function isOurs(source: string): boolean {
  return !source.startsWith('..') && !source.includes('node_modules/');
}

function translateFrame(frame: StackFrame, loaded: LoadedMap, root: string, withContext: boolean): SourceFrame {
  const position = originalPositionFor(loaded.map, { line: frame.line, column: frame.column - 1 });
  if (position.source === null) return { ...frame, inApp: false };
  const source = path.relative(root, path.resolve(loaded.directory, position.source)).split(path.sep).join('/');
  const inApp = isOurs(source);
  const text = withContext && inApp ? sourceContentFor(loaded.map, position.source) : null;
  return {
    ...frame,
    source,
    inApp,
    line: position.line,
    column: position.column + 1,
    ...(text ? { context: cutContext(text, position.line) } : {}),
  };
}

function resolveFrame(frame: StackFrame, root: string, withContext: boolean): SourceFrame {
  const file = toPath(frame.file);
  if (!file) return { ...frame, inApp: false };
  const loaded = loadMap(`${file}.map`);
  if (loaded) return translateFrame(frame, loaded, root, withContext);
  const source = path.relative(root, file).split(path.sep).join('/');
  const inApp = isOurs(source) && !source.startsWith('dist/');
  const context =
    withContext && inApp && existsSync(file) ? cutContext(readFileSync(file, 'utf8'), frame.line) : undefined;
  return { ...frame, source, inApp, ...(context ? { context } : {}) };
}

function resolveEach(
  frames: readonly StackFrame[],
  resolve: (frame: StackFrame, withContext: boolean) => SourceFrame,
): SourceFrame[] {
  let contextsLeft = framesWithContext;
  return frames.map((frame) => {
    const resolved = resolve(frame, contextsLeft > 0);
    if (resolved.context) contextsLeft -= 1;
    return resolved;
  });
}

/**
 * Frames with their sources.
 * @param root the project's root; `source` is relative to it. Where only `dist` was copied to a box it is still right,
 * because maps name their sources relative to themselves.
 */
export function resolveFrames(frames: readonly StackFrame[], root: string): SourceFrame[] {
  return resolveEach(frames, (frame, withContext) => resolveFrame(frame, root, withContext));
}

/**
 * The same for frames that somebody else named, whose files must not be looked for on this machine.
 * @param findMap the map's path for a frame's file; it only gives paths that it knew before. A frame without one stays
 * as it is.
 */
export function resolveForeignFrames(
  frames: readonly StackFrame[],
  root: string,
  findMap: (file: string) => string | undefined,
): SourceFrame[] {
  return resolveEach(frames, (frame, withContext) => {
    const mapFile = findMap(frame.file);
    const loaded = mapFile === undefined ? undefined : loadMap(mapFile);
    return loaded ? translateFrame(frame, loaded, root, withContext) : { ...frame, inApp: false };
  });
}
