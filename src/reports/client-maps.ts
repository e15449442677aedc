import 'server-only';

import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';

import { areModulesServed } from '#src/runtime/errors/served-modules.ts';
import { resolveForeignFrames, resolveServedFrames, type SourceFrame } from '#src/runtime/errors/source-maps.ts';
import type { StackFrame } from '#src/runtime/errors/stack.ts';

import type { BuiltMap, MapPlace } from './source-maps/thread/messages.ts';

/**
 * Translates the browser's stacks with the source maps that the build put into `dist/maps`. A map's path there is the
 * script's path in public. The file name in a frame comes from a stranger. It is only looked up in the list of maps
 * that existed at the first report, and is never used as a path.
 */
const mapsByAsset = new Map<string, ReadonlyMap<string, string>>();

function listMaps(folder: string): ReadonlyMap<string, string> {
  const known = mapsByAsset.get(folder);
  if (known) return known;
  const maps = new Map<string, string>();
  if (existsSync(folder)) {
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      const asset = `/${name.split(path.sep).join('/')}`;
      if (asset.endsWith('.map')) maps.set(asset.slice(0, -'.map'.length), path.join(folder, name));
    }
  }
  mapsByAsset.set(folder, maps);
  return maps;
}

/** The map of one of this build's scripts, for the thread that reads maps. */
export function readBuiltMap(file: string, root: string): MapPlace | undefined {
  const folder = path.join(root, 'dist', 'maps');
  const map = listMaps(folder).get(file);
  return map === undefined ? undefined : { type: 'built', file: map, folder: nameFolder(root, map) };
}

/** All of them, with the scripts' addresses as uploads name them: from the root of the site. */
export function listBuiltMaps(root: string): BuiltMap[] {
  const maps = listMaps(path.join(root, 'dist', 'maps'));
  return [...maps].map(([url, file]) => ({ url: `~${url}`, file, folder: nameFolder(root, file) }));
}

/** From the project's root, as maps name their sources. */
function nameFolder(root: string, map: string): string {
  return path.relative(root, path.dirname(map)).split(path.sep).join('/');
}

/**
 * Frames with the names and places of the source. Frames of scripts without a map stay as they are. `file` is the
 * script's path.
 */
export function resolveBrowserFrames(frames: readonly StackFrame[], root: string): SourceFrame[] {
  if (areModulesServed()) return resolveServedFrames(frames, root);
  const maps = listMaps(path.join(root, 'dist', 'maps'));
  return resolveForeignFrames(frames, root, (file) => maps.get(file));
}

const componentLine = /^(\s*at )([^\n]{0,256}?) ?\((\/[^\s()]+):(\d{1,9}):(\d{1,9})\)$/;

/** React's component stack, with each script's path and position replaced by the place in the source. */
export function resolveComponentStack(stack: string, root: string): string {
  const lines = stack.split('\n').map((text) => {
    const [, start, fn, file, line, column] = componentLine.exec(text) ?? [];
    if (start === undefined || fn === undefined || file === undefined) return text;
    const position = { line: Math.max(1, Number(line)), column: Math.max(1, Number(column)) };
    const [frame] = resolveBrowserFrames([{ fn, file, ...position }], root);
    if (frame?.source === undefined) return text;
    return `${start}${frame.fn || fn} (${frame.source}:${frame.line}:${frame.column})`;
  });
  return lines.join('\n');
}

/**
 * For a fingerprint that survives a rebuild. Handlers in JSX have no names, and a file has many of them: there the source line that
 * failed stands for the name. It stays the same, wherever it moves to.
 */
export function nameFramesBySource(frames: readonly SourceFrame[]): SourceFrame[] {
  return frames.map((frame) => {
    const { context, fn } = frame;
    const line = context?.lines[frame.line - context.firstLine];
    return fn === '' && line !== undefined ? { ...frame, fn: line.trim() } : frame;
  });
}
