import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { dataFolder } from './data-folder.ts';
import { findInstance } from './instance.ts';

let temporary: string | undefined;

/** A server without a data folder has its maps in PostgreSQL, and only caches them here. It is readable by this user alone. */
function temporaryFolder(): string | undefined {
  if (temporary !== undefined) return temporary;
  try {
    const made = mkdtempSync(path.join(tmpdir(), 'flight-recorder-maps-'));
    process.once('exit', () => rmSync(made, { recursive: true, force: true }));
    temporary = made;
  } catch {
    // Nothing can be written anywhere: frames stay as they came.
  }
  return temporary;
}

/**
 * Source maps are files in the data folder: those of an app in a folder of its own, named by its id, each named by the hash of its
 * content. Two apps share none, so nothing that one uploads is ever read for another, and an app's deletion deletes its folder.
 */
export function mapsFolder(): string {
  const folder = dataFolder();
  const isMissing = findInstance(folder)?.hasFolder === false;
  return (isMissing ? temporaryFolder() : undefined) ?? path.join(folder, 'source-maps');
}

/** @param app the id of an app, which has no character that means something in a path */
export function appMapsFolder(app: string): string {
  return path.join(mapsFolder(), app);
}
