import 'server-only';

import type { Kysely } from 'kysely';

import { compileWith } from '#src/store/compile-with.ts';
import type { FaultTable, Tables } from '#src/store/schema.ts';

import type { ResolvedIn } from './fault-state.ts';
import { isOfStream } from './release-stream.ts';
import { compareVersions, parseVersion, type Version } from './release-version.ts';

/**
 * Whether an error of a resolved fault says that it is back. Releases that are semantic versions of one package are ordered by
 * these: an old server that starts again names a release that nobody had heard of, and is no newer for it. All others are ordered by
 * when they were first heard of.
 */
type Resolved = Pick<FaultTable, 'side' | 'state_time'>;
type Arrival = { readonly app: string; readonly release: string; readonly receivedAt: number };
type OfFault = { readonly app: string; readonly side: FaultTable['side'] };

const findRelease = compileWith<{ app: string; name: string }, { side: FaultTable['side']; first_time: number }>(
  (db, value) =>
    db
      .selectFrom('app_release')
      .select(['side', 'first_time'])
      .where('app', '=', value('app'))
      .where('side', 'in', ['server', 'browser'])
      .where('name', '=', value('name'))
      .orderBy('first_time'),
);

/** Returns when the release was first heard of; for a server's fault from a server, whatever browsers reported before. */
async function readFirstTime(trx: Kysely<Tables>, { app, side }: OfFault, name: string): Promise<number | undefined> {
  const { rows } = await findRelease(trx, { app, name });
  return rows.find((row) => side === 'browser' || row.side === 'server')?.first_time;
}

/** As many as the form for resolving offers. Of an app's releases, the newest is among those heard of last. */
const releasesCompared = 200;

/** What was known of the package at a time. A version before its release is the newest only for others of its kind: it may run beside. */
async function findNewest(
  trx: Kysely<Tables>,
  { app, side }: OfFault,
  release: string,
  { before }: Version,
  time: number,
): Promise<Version | undefined> {
  const rows = await trx
    .selectFrom('app_release')
    .select('name')
    .where('app', '=', app)
    .$if(side === 'server', (query) => query.where('side', '=', 'server'))
    .where('first_time', '<=', time)
    .where(isOfStream(release))
    .orderBy('first_time', 'desc')
    .limit(releasesCompared)
    .execute();
  const known = rows.map(({ name }) => parseVersion(name)).filter((version) => version !== undefined);
  const released = before.length > 0 ? [] : known.filter((version) => version.before.length === 0);
  return (released.length > 0 ? released : known).toSorted(compareVersions).at(-1);
}

/**
 * Says whether an error reopens a resolved fault. Without a release nobody can tell whether the fix was in it, so its time alone counts.
 */
export async function isRegression(
  trx: Kysely<Tables>,
  resolved: ResolvedIn,
  { side, state_time: since }: Resolved,
  { app, release, receivedAt }: Arrival,
): Promise<boolean> {
  if (receivedAt <= since) return false;
  const of = { app, side };
  const first = release === '' ? undefined : await readFirstTime(trx, of, release);
  if (first === undefined) return true;
  const version = parseVersion(release);
  switch (resolved.type) {
    case 'now':
      return true;
    case 'release': {
      const fixed = parseVersion(resolved.release);
      if (version && fixed && version.stream === fixed.stream) return compareVersions(version, fixed) >= 0;
      const fixedIn = await readFirstTime(trx, of, resolved.release);
      return release === resolved.release || fixedIn === undefined || first >= fixedIn;
    }
    case 'next-release': {
      if (first <= since) return false;
      const newest = version && (await findNewest(trx, of, release, version, since));
      return !version || !newest || compareVersions(version, newest) > 0;
    }
  }
}
