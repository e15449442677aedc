import { readFileSync } from 'node:fs';
import path from 'node:path';

import { isRecord } from '#boundary';

export const ownName = 'flight-recorder';

export function readManifest(folder: string): Record<string, unknown> | undefined {
  try {
    const manifest: unknown = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
    return isRecord(manifest) ? manifest : undefined;
  } catch {
    // None in this folder, or none that npm could read.
    return undefined;
  }
}

/** Flight Recorder's own folder, from a module of it: packed, it stands deeper than among the sources. */
export function findPackageFolder(from: string): string {
  const parent = path.dirname(from);
  if (parent === from) throw new Error(`${ownName} has no package.json`);
  return readManifest(parent)?.['name'] === ownName ? parent : findPackageFolder(parent);
}
