import path from 'node:path';

import { isRecord } from '#boundary';

/**
 * What the interface beside an app tells the app's process, when it asks: so that process needs no database for its keys, nor to
 * see that the operator has changed what is recorded.
 */
export type AppAnnouncement =
  | {
      readonly type: 'known';
      readonly secretKey: string;
      readonly publicKey: string;
      /** The project's number in a DSN. */
      readonly number: number;
      /** As `RECORD` is written; undefined: the default. */
      readonly record: string | undefined;
      /** Until when everything is recorded. Milliseconds since 1970. */
      readonly allUntil: number;
    }
  /** The operator has deleted the app. */
  | { readonly type: 'deleted' };

/** @returns undefined when it is none, as of another version */
export function readAppAnnouncement(value: unknown): AppAnnouncement | undefined {
  if (!isRecord(value)) return undefined;
  const { type, secretKey, publicKey, number, record, allUntil } = value;
  if (type === 'deleted') return { type };
  const hasKeys = typeof secretKey === 'string' && typeof publicKey === 'string' && typeof number === 'number';
  if (type !== 'known' || !hasKeys) return undefined;
  return {
    type,
    secretKey,
    publicKey,
    number,
    record: typeof record === 'string' ? record : undefined,
    allUntil: typeof allUntil === 'number' ? allUntil : 0,
  };
}

/** The build that the app's process runs, as it tells the interface: so that its source maps can be kept. */
export type AppBuild = {
  readonly release: string;
  /** The folder that has a map for each browser script, by the script's path. Absolute. */
  readonly maps: string;
};

/** As the names of releases elsewhere. */
const longestRelease = 250;
/** Both stand in an address, where a character may take nine. */
const longestFolder = 500;

/** @returns undefined when it names no release, or no folder that can be told */
export function readAppBuild(release: string, maps: string): AppBuild | undefined {
  if (release.trim() === '' || release.length > longestRelease) return undefined;
  const isFolder = path.isAbsolute(maps) && maps.length <= longestFolder && !maps.includes('\0');
  return isFolder ? { release, maps } : undefined;
}
