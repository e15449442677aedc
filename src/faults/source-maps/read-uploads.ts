import 'server-only';

import { requireOperator } from '#src/access/require-operator.ts';
import { openStore } from '#src/store/open-store.ts';

/** What was uploaded for an app, for its page. */
export type UploadedRelease = {
  /** Empty where the uploader named none: then debug ids alone find its maps. */
  readonly release: string;
  readonly scripts: number;
  /** On disk; a map that two releases share is counted for both. */
  readonly bytes: number;
  /** Of its latest upload, in milliseconds since 1970. */
  readonly uploadedAt: number;
};

export type Uploads = {
  /** The latest first. */
  readonly releases: readonly UploadedRelease[];
  /** Releases that are not among them. */
  readonly more: number;
};

/** A page's worth: who uploads at every deploy has hundreds. */
const shownReleases = 20;

export async function readUploads(app: string): Promise<Uploads> {
  requireOperator();
  const { db } = await openStore();
  const releases = await db
    .selectFrom('map_bundle')
    .select(['release', ({ fn }) => fn.max('created').as('uploadedAt')])
    .where('app', '=', app)
    .groupBy('release')
    .orderBy('uploadedAt', 'desc')
    .execute();
  const shown = releases.slice(0, shownReleases);
  const names = shown.map(({ release }) => release);
  const files = db
    .selectFrom('map_file')
    .select(['release', 'hash', 'bytes', ({ fn }) => fn.count<number>('url').distinct().as('scripts')])
    .where('app', '=', app)
    .where('release', 'in', names)
    .groupBy(['release', 'hash', 'bytes'])
    .as('files');
  const sums = await db
    .selectFrom(files)
    .select([
      'release',
      ({ fn }) => fn.sum<number>('bytes').as('bytes'),
      ({ fn }) => fn.sum<number>('scripts').as('scripts'),
    ])
    .groupBy('release')
    .execute();
  const byRelease = new Map(sums.map((sum) => [sum.release, sum]));
  return {
    releases: shown.map(({ release, uploadedAt }) => {
      const { bytes = 0, scripts = 0 } = byRelease.get(release) ?? {};
      return { release, uploadedAt, bytes, scripts };
    }),
    more: releases.length - shown.length,
  };
}
