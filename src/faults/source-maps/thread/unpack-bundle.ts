import { createHash, randomUUID } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { isRecord } from '#boundary';
import { readInlineMap } from '#report/source-map/read-inline-map.ts';

import type { MapAnswer, StoredMap, UnpackRequest } from './messages.ts';
import { parseBounded } from './parse-bounded.ts';
import { BadZip, openZip, type Zip } from './read-zip.ts';
import { type Kept, largestMapBytes, parseMap, readDebugId, storeMap } from './store-map.ts';

/**
 * An artifact bundle of the Sentry CLI: a ZIP with the scripts, their maps, and `manifest.json`, which says for each file its type,
 * its address (`~/assets/app.js`), its debug id, and for a script where its map is. Only maps are stored: those that are listed, and
 * those that scripts without a listed one carry in their last line. A map that cannot be read is skipped by itself.
 */

/** A file of each chunk of a large app, and its map. */
const mostFiles = 10_000;
/** A line of the manifest has some 300 bytes. */
const manifestBytes = 8 * 1024 * 1024;
/** What is unpacked of one bundle: 25 of the largest maps. */
const mostUnpackedBytes = 512 * 1024 * 1024;
/** With the release it is a key of an index, which PostgreSQL bounds. */
const longestUrl = 500;

type ListedFile = {
  readonly name: string;
  readonly type: string;
  readonly url: string;
  readonly debugId: string | undefined;
  /** Of a script: its map's address. */
  readonly mapUrl: string | undefined;
};

function readHeader(headers: unknown, name: string): string | undefined {
  if (!isRecord(headers)) return undefined;
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  return typeof value === 'string' && value.length <= longestUrl ? value : undefined;
}

/** Frames are asked for by the path of their script: `https://cdn.example/a.js?v=1` and `~/a.js` are one. */
function toAddress(url: string): string {
  const rooted = url.replace(/^~|^[a-z][\w+.-]*:\/\/[^/]*/i, '').split(/[?#]/, 1)[0] ?? '';
  return `~/${rooted.replace(/^\/+/, '')}`;
}

/** `~/assets/app.js` and `app.js.map` are `~/assets/app.js.map`. */
function joinUrl(script: string, map: string | undefined): string | undefined {
  if (map === undefined) return undefined;
  const isRooted = script.startsWith('~');
  try {
    const joined = new URL(map, isRooted ? `rooted://host${script.slice(1)}` : script).href;
    return joined.startsWith('rooted://host/') ? `~${joined.slice('rooted://host'.length)}` : joined;
  } catch {
    return undefined;
  }
}

function readManifest(zip: Zip): readonly ListedFile[] {
  const entry = zip.entries.get('manifest.json');
  if (!entry) throw new BadZip('the bundle has no manifest.json');
  const manifest = parseBounded(zip.read(entry, manifestBytes).toString('utf8'));
  if (manifest === undefined) throw new BadZip('manifest.json is not JSON');
  const files = isRecord(manifest) ? manifest['files'] : undefined;
  if (!isRecord(files)) throw new BadZip('manifest.json lists no files');
  // Each becomes a row.
  if (Object.keys(files).length > mostFiles) throw new BadZip(`manifest.json lists more than ${mostFiles} files`);
  return Object.entries(files).flatMap(([name, file]) => {
    if (!isRecord(file) || typeof file['type'] !== 'string' || typeof file['url'] !== 'string') return [];
    const { type, url, headers } = file;
    if (url.length > longestUrl) return [];
    const debugId = readDebugId(readHeader(headers, 'debug-id'));
    const mapUrl = joinUrl(url, readHeader(headers, 'sourcemap') ?? readHeader(headers, 'x-sourcemap'));
    return [{ name, type, url, debugId, mapUrl }];
  });
}

/**
 * What a map takes outside of the heap is given back when the heap is collected. A few large ones, one behind the other, take a small
 * machine's memory before that comes by itself.
 */
const largeMapBytes = 4 * 1024 * 1024;
setFlagsFromString('--expose-gc');
const collect: unknown = runInNewContext('gc');

type FoundMap = Kept & { readonly file: ListedFile; readonly debugId: string | undefined };

function readFile(zip: Zip, { name }: ListedFile): Buffer | undefined {
  const entry = zip.entries.get(name);
  return entry && entry.bytes <= largestMapBytes ? zip.read(entry, largestMapBytes) : undefined;
}

/** Returns undefined when it is not a map. */
function keepMap(json: Buffer | undefined, file: ListedFile, folder: string): FoundMap | undefined {
  // Of what was read before it.
  if (json && json.length > largeMapBytes && typeof collect === 'function') collect();
  const map = json && parseMap(json.toString('utf8'));
  if (!json || !map) return undefined;
  const debugId = file.debugId ?? readDebugId(map['debug_id']) ?? readDebugId(map['debugId']);
  return { ...storeMap(folder, json), file, debugId };
}

type Script = { readonly file: ListedFile; readonly map: Kept & Pick<FoundMap, 'debugId'> };

/** The maps that scripts carry in themselves, of those that have no other. */
function keepInlineMaps(zip: Zip, scripts: readonly ListedFile[], folder: string): StoredMap[] {
  return scripts.flatMap((file) => {
    const script = readFile(zip, file);
    const map = keepMap(script && readInlineMap(script), file, folder);
    return map ? [toStored({ file, map })] : [];
  });
}

function toStored({ file, map: { hash, bytes, debugId } }: Script): StoredMap {
  return { url: toAddress(file.url), debugId: file.debugId ?? debugId, hash, bytes };
}

/** Each script with its map, and the scripts for which none is listed. */
function pairFiles(files: readonly ListedFile[], maps: readonly FoundMap[]) {
  const byUrl = new Map(maps.map((map) => [map.file.url, map]));
  const byDebugId = new Map(maps.map((map) => [map.debugId, map]));
  const paired: Script[] = [];
  const alone: ListedFile[] = [];
  for (const file of files) {
    if (file.type !== 'minified_source') continue;
    const map =
      (file.mapUrl === undefined ? undefined : byUrl.get(file.mapUrl)) ??
      (file.debugId === undefined ? undefined : byDebugId.get(file.debugId));
    if (map) paired.push({ file, map });
    else alone.push(file);
  }
  return { paired, alone };
}

function unpackFrom(fd: number, size: number, folder: string): MapAnswer {
  const zip = openZip(fd, size, { entries: mostFiles, bytes: mostUnpackedBytes });
  const files = readManifest(zip);
  const listed = files.filter(({ type }) => type === 'source_map');
  const maps = listed.flatMap((file) => keepMap(readFile(zip, file), file, folder) ?? []);
  const { paired, alone } = pairFiles(files, maps);
  const used = new Set<Script['map']>(paired.map(({ map }) => map));
  const stored = [
    ...paired.map(toStored),
    ...keepInlineMaps(zip, alone, folder),
    // Maps that no script names.
    ...maps.filter((map) => !used.has(map)).map((map) => toStored({ file: map.file, map })),
  ];
  if (stored.length > 0) return { type: 'stored', maps: stored, skipped: listed.length - maps.length };
  const reason =
    listed.length === 0
      ? 'the bundle has no source map'
      : 'none of the source maps could be read, or all have more than 20 MiB';
  return { type: 'refused', reason };
}

/** Writes the chunks one behind the other. @returns undefined when they are not what was announced */
function joinChunks(fd: number, { chunks, checksum }: UnpackRequest): number | undefined {
  const hash = createHash('sha1');
  let size = 0;
  for (const chunk of chunks) {
    const bytes = readFileSync(chunk);
    hash.update(bytes);
    writeSync(fd, bytes);
    size += bytes.length;
  }
  return hash.digest('hex') === checksum ? size : undefined;
}

/** Never throws for what an uploader wrote. */
export function unpackBundle(request: UnpackRequest): MapAnswer {
  mkdirSync(request.folder, { recursive: true });
  const file = path.join(request.folder, `${randomUUID()}.part`);
  const fd = openSync(file, 'wx+', 0o600);
  try {
    const size = joinChunks(fd, request);
    return size === undefined
      ? { type: 'refused', reason: 'the chunks together do not have the checksum of the bundle' }
      : unpackFrom(fd, size, request.folder);
  } catch (error) {
    if (error instanceof BadZip) return { type: 'refused', reason: error.message };
    throw error;
  } finally {
    closeSync(fd);
    rmSync(file, { force: true });
  }
}
