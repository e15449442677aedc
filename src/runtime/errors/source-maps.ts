import 'server-only';

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { mapInDev } from './map-in-dev.ts';
import { findServedModule } from './served-modules.ts';
import { parseSourceMap, type SourceMap } from '#report/source-map/source-map.ts';
import type { StackFrame } from '#report/stack.ts';

/**
 * Frames of the built server point into bundles whose names and lines change with every build. A person and a
 * fingerprint both need the source. The build leaves a map beside each bundle. It is read when the first error points
 * into the bundle, and kept: there are few bundles, and errors come in groups.
 *
 * In dev, the frame's own file is the source; `mapInDev` gives it the source's line.
 *
 * A stack is text, and a visitor may have written a part of it. So a built server only opens maps that it found in its
 * own folder, and a dev server only source files of the project.
 */
export type CodeOrigin =
  | { readonly type: 'built'; /** The folder of the bundles and their maps. */ readonly folder: string }
  | { readonly type: 'sources' };

export type SourceFrame = StackFrame & {
  /** The source's path from the project's root, with `/`: `src/pages/index.tsx`. Undefined when it is not known. */
  readonly source?: string;
  /** True for the project's own code; false for React, dependencies and Node. */
  readonly inApp: boolean;
  /** Of a frame without its source: names the map of its script, which may be uploaded later. */
  readonly debugId?: string;
  /** Source lines around the frame, for the first few frames of the project's own code. */
  readonly context?: { readonly firstLine: number; readonly lines: readonly string[] };
};

/** A larger map is not worth the memory on a 256 MB machine. Our biggest map is a tenth of this. */
const largestMapBytes = 20 * 1024 * 1024;
const contextLinesEachSide = 5;
const framesWithContext = 5;

/** Our largest source file has a tenth of this. A larger file is not a source of ours. */
const largestSourceBytes = 1024 * 1024;

type LoadedMap = { readonly map: SourceMap; readonly directory: string };

const loadedMaps = new Map<string, LoadedMap | undefined>();
const listedMaps = new Map<string, ReadonlySet<string>>();

function listMaps(folder: string): ReadonlySet<string> {
  const known = listedMaps.get(folder);
  if (known) return known;
  const entries = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  const maps = new Set(entries.filter((entry) => entry.endsWith('.map')).map((entry) => path.join(folder, entry)));
  listedMaps.set(folder, maps);
  return maps;
}

function readMap(mapFile: string): LoadedMap | undefined {
  if (!existsSync(mapFile) || statSync(mapFile).size > largestMapBytes) return undefined;
  try {
    const map = parseSourceMap(readFileSync(mapFile, 'utf8'));
    return map && { map, directory: path.dirname(mapFile) };
  } catch {
    // The map is cut off, for example by a full disk. The frames stay as they are, because the error that is being
    // recorded matters more.
    return undefined;
  }
}

/** `mapFile` must come from a list of known maps. Otherwise this cache would have no bound. */
function loadMap(mapFile: string): LoadedMap | undefined {
  if (loadedMaps.has(mapFile)) return loadedMaps.get(mapFile);
  const loaded = readMap(mapFile);
  loadedMaps.set(mapFile, loaded);
  return loaded;
}

function toPath(file: string): string | undefined {
  const plain = file.split('?')[0] ?? file;
  if (!plain.startsWith('file://')) return path.isAbsolute(plain) ? path.normalize(plain) : undefined;
  try {
    return fileURLToPath(plain);
  } catch {
    // A file URL with a host, or an encoded separator: not one of ours.
    return undefined;
  }
}

function cutContext(text: string, line: number): NonNullable<SourceFrame['context']> {
  const lines = text.split('\n');
  const start = Math.max(0, line - 1 - contextLinesEachSide);
  return { firstLine: start + 1, lines: lines.slice(start, line + contextLinesEachSide) };
}

/** Nothing else of a project is read, and nothing hidden: a stack is text, and may name any file. */
const sourceName = /^(?!\.|.*\/\.).*\.[cm]?[jt]sx?$/;

function isOurs(source: string): boolean {
  return !source.startsWith('..') && !source.includes('node_modules/');
}

function translateFrame(
  frame: StackFrame,
  all: readonly StackFrame[],
  loaded: LoadedMap,
  root: string,
  withContext: boolean,
): SourceFrame {
  const place = loaded.map.find(
    frame,
    all.filter(({ file }) => file === frame.file),
  );
  if (!place) return { ...frame, inApp: false };
  const { line, column, content } = place;
  const source = path.relative(root, path.resolve(loaded.directory, place.source)).split(path.sep).join('/');
  const inApp = isOurs(source);
  const text = withContext && inApp ? content : undefined;
  return {
    ...frame,
    source,
    inApp,
    line,
    column,
    ...(text ? { context: cutContext(text, line) } : {}),
  };
}

function readSource(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found?.isFile() && found.size <= largestSourceBytes ? readFileSync(file, 'utf8') : undefined;
}

/** Whether `resolveFrames` reads no map for these frames: each map is in memory already, or there is none. */
export function areMapsRead(frames: readonly StackFrame[], origin: CodeOrigin): boolean {
  if (origin.type === 'sources') return true;
  return frames.every((frame) => {
    const mapFile = `${toPath(frame.file) ?? ''}.map`;
    return loadedMaps.has(mapFile) || !listMaps(origin.folder).has(mapFile);
  });
}

function addContext(frame: SourceFrame, file: string, withContext: boolean): SourceFrame {
  const text = withContext && frame.inApp ? readSource(file) : undefined;
  return text ? { ...frame, context: cutContext(text, frame.line) } : frame;
}

/** Reads a frame's source from the file itself, which is the source in dev. Only files of the project are read. */
function readSourceFrame(frame: StackFrame, file: string, root: string, withContext: boolean): SourceFrame {
  const source = path.relative(root, file).split(path.sep).join('/');
  const inApp = isOurs(source) && sourceName.test(source) && existsSync(file);
  return addContext({ ...frame, source, inApp }, file, withContext);
}

function resolveFrame(
  frame: StackFrame,
  all: readonly StackFrame[],
  root: string,
  origin: CodeOrigin,
  withContext: boolean,
): SourceFrame {
  const file = toPath(frame.file);
  if (!file) return { ...frame, inApp: false };
  switch (origin.type) {
    case 'sources':
      return readSourceFrame(frame, file, root, withContext);
    case 'built': {
      const mapFile = `${file}.map`;
      const loaded = listMaps(origin.folder).has(mapFile) ? loadMap(mapFile) : undefined;
      return loaded ? translateFrame(frame, all, loaded, root, withContext) : { ...frame, inApp: false };
    }
  }
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
 * @param root the project's root; `source` is relative to it. It is also right where only `dist` was copied to a
 *   machine, because maps name their sources relative to themselves.
 */
export function resolveFrames(frames: readonly StackFrame[], root: string, origin: CodeOrigin): SourceFrame[] {
  const placed = origin.type === 'sources' ? mapInDev(frames, toPath) : frames;
  return resolveEach(placed, (frame, withContext) => resolveFrame(frame, placed, root, origin, withContext));
}

/**
 * The same for a browser's frames in development. Their files must not be looked for on this machine.
 * Their names are already those of the source.
 */
export function resolveServedFrames(frames: readonly StackFrame[], root: string): SourceFrame[] {
  return resolveEach(frames, (frame, withContext) => {
    const served = findServedModule(frame.file);
    if (!served) return { ...frame, inApp: false };
    const place = parseSourceMap(served.map)?.find(frame);
    const at = place ? { ...frame, line: place.line, column: place.column } : frame;
    const source = path.relative(root, served.file).split(path.sep).join('/');
    return addContext({ ...at, source, inApp: source.startsWith('src/') }, served.file, withContext);
  });
}
