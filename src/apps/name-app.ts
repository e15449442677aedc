import { readFileSync } from 'node:fs';
import path from 'node:path';

import { isRecord } from '#boundary';

import { nameToId } from './app-id.ts';

function readPackageName(folder: string): string {
  try {
    const manifest: unknown = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
    return isRecord(manifest) && typeof manifest['name'] === 'string' ? manifest['name'] : '';
  } catch {
    // There is none, or one that npm could not read either.
    return '';
  }
}

/** The id of an app to which nobody gave one: what package.json in `folder` calls itself, else the folder's name. */
export function nameApp(folder: string): string {
  return nameToId(readPackageName(folder)) ?? nameToId(path.basename(folder)) ?? 'app';
}
