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

function loadMap(file: string): LoadedMap | undefined {
  if (loadedMaps.has(file)) return loadedMaps.get(file);
  const mapFile = `${file}.map`;
  let loaded: LoadedMap | undefined;
  if (existsSync(mapFile) && statSync(mapFile).size <= largestMapBytes) {
    loaded = { map: new TraceMap(readFileSync(mapFile, 'utf8')), directory: path.dirname(mapFile) };
  }
  loadedMaps.set(file, loaded);
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

function resolveFrame(frame: StackFrame, root: string, withContext: boolean): SourceFrame {
  const file = toPath(frame.file);
  if (!file) return { ...frame, inApp: false };
  const loaded = loadMap(file);
  if (!loaded) {
    const source = path.relative(root, file).split(path.sep).join('/');
    const inApp = isOurs(source) && !source.startsWith('dist/');
    const context =
      withContext && inApp && existsSync(file) ? cutContext(readFileSync(file, 'utf8'), frame.line) : undefined;
    return { ...frame, source, inApp, ...(context ? { context } : {}) };
  }
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

/**
 * Frames with their sources.
 * @param root the project's root; `source` is relative to it. Where only `dist` was copied to a box it is still right,
 * because maps name their sources relative to themselves.
 */
export function resolveFrames(frames: readonly StackFrame[], root: string): SourceFrame[] {
  let contextsLeft = framesWithContext;
  return frames.map((frame) => {
    const resolved = resolveFrame(frame, root, contextsLeft > 0);
    if (resolved.context) contextsLeft -= 1;
    return resolved;
  });
}
