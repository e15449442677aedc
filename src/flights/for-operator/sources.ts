import 'server-only';

import { readFileSync } from 'node:fs';
import path from 'node:path';

import { requireReader } from '#src/access/require-reader.ts';

import { parseSources, referenceSourcesFile } from '../recorder/reference-sources.ts';
import { findServerFolder } from './server-folder.ts';

const none: ReadonlyMap<string, string> = new Map();
let known: ReadonlyMap<string, string> | undefined;

/**
 * Hashed ids of client modules and of the files of server actions, and the source of each, in this build. The ids are hashes of
 * paths, so the ids in a flight of an earlier build are found too when the file has kept its name. Empty in development,
 * where ids are paths.
 */
export function readSources(): ReadonlyMap<string, string> {
  requireReader();
  if (!import.meta.env.PROD) return none;
  known ??= parseSources(readFileSync(path.join(findServerFolder(), referenceSourcesFile), 'utf8'));
  return known;
}

/** `hash#save` → `src/actions/save.ts#save`; undefined when the manifest does not know the file. */
export function nameAction(sources: ReadonlyMap<string, string>, actionId: string): string | undefined {
  const at = actionId.lastIndexOf('#');
  const source = sources.get(at < 0 ? actionId : actionId.slice(0, at));
  return source === undefined ? undefined : `${source}${at < 0 ? '' : actionId.slice(at)}`;
}
