import 'server-only';

import { inTime } from '#src/store/in-time.ts';
import { isKnownAway } from '#src/store/known-away.ts';
import { openStore, type Store } from '#src/store/open-store.ts';
import { ownApp } from '#src/store/own-app.ts';
import { isNotAsked } from '#src/store/postgres/postgres-errors.ts';

import { mapFile } from './keep-in-database.ts';
import type { MapPlace } from './thread/messages.ts';

/**
 * Which map belongs to a frame's script: by its debug id, or by its release and its address. A debug id counts within its app
 * alone, since anybody can send one.
 *
 * Paths in frames are whole (`https://shop.example/app/assets/index.js`), those of uploads begin where their folder
 * did (`~/assets/index.js`). So the longest end of the one that is the other counts. Files of our own build have the
 * hash of their content in their name, so the release only decides which of two is taken.
 */
export type Script = { readonly file: string; readonly debugId: string | undefined };

/** The rows that look-ups found, and those that found none: some 200 bytes each. */
const keptAnswers = 5_000;
const mostEnds = 8;
const longestAddress = 1_000;
const dayMs = 24 * 3600 * 1000;
/** Another process may have stored or deleted maps: its errors come seconds later. A look-up takes less than a millisecond. */
const knownMs = 5_000;

/** Errors wait for this, each with its sender's place. */
const lateMs = 500;

type Found = { readonly place: MapPlace; readonly bundle: string };

type Known = {
  readonly store: Store;
  /** By the steady clock. */
  readonly until: number;
  /** By app: its releases that have maps. */
  readonly releases: Map<string, ReadonlySet<string>>;
  readonly found: Map<string, Found | undefined>;
  /** What was known before, for while the database does not answer. */
  readonly before: Pick<Known, 'store' | 'releases' | 'found'> | undefined;
};

let known: Known | undefined;
/** By bundle: when this process last wrote that it was used. There are as many as deploys in a process's life. */
const used = new Map<string, number>();

/** After maps were added or deleted. */
export function forgetFoundMaps(): void {
  known = undefined;
}

function knowledgeOf(store: Store): Known {
  const now = performance.now();
  if (known?.store === store && now < known.until) return known;
  const last = known?.store === store && known.found.size > 0 ? known : known?.before;
  const before = last && { store, releases: last.releases, found: last.found };
  known = { store, until: now + knownMs, releases: new Map(), found: new Map(), before };
  return known;
}

/** Lists how an upload may name the file, the longest first. */
export function listAddresses(file: string): string[] {
  const plain = file.split(/[?#]/, 1)[0] ?? '';
  if (plain.length > longestAddress || plain.startsWith('node:') || plain.includes('/node_modules/')) return [];
  const parts = plain
    .replaceAll('\\', '/')
    .replace(/^[a-z][\w+.-]*:\/\/[^/]*/i, '')
    .replace(/^\/+/, '')
    .split('/');
  const ends = parts.map((_, at) => `~/${parts.slice(at).join('/')}`);
  return [...ends.slice(0, 1), ...ends.slice(1).slice(-mostEnds)];
}

async function readReleases(now: Known, app: string): Promise<ReadonlySet<string>> {
  const read = now.releases.get(app);
  if (read) return read;
  const rows = await now.store.db
    .selectFrom('map_bundle')
    .select('release')
    .distinct()
    .where('app', '=', app)
    .execute();
  const releases = new Set(rows.map(({ release }) => release));
  now.releases.set(app, releases);
  return releases;
}

type Row = { readonly hash: string; readonly bundle: string };

function toFound(app: string, row: Row | undefined): Found | undefined {
  return row && { place: { type: 'stored', file: mapFile(app, row.hash) }, bundle: row.bundle };
}

type Db = Store['db'];

/** The latest of those that have one address or one debug id is the end of an index: whoever uploads may store very many. */
function selectLatest(db: Db, app: string) {
  return db
    .selectFrom('map_file')
    .select(['hash', 'bundle', 'url', 'release'])
    .where('app', '=', app)
    .orderBy('created', 'desc')
    .limit(1);
}

/** @internal */
export function selectOfDebugId(db: Db, app: string, debugId: string) {
  return selectLatest(db, app).where('debug_id', '=', debugId);
}

/** One statement for all of them: a frame may have nine. @internal */
export function selectOfAddresses(db: Db, app: string, release: string, addresses: readonly string[]) {
  const latest = addresses.flatMap((url) => {
    const ofUrl = selectLatest(db, app).where('url', '=', url);
    const ofRelease = ofUrl.where('release', '=', release);
    // Our own maps are of our own builds alone: there are few of one address.
    return app === ownApp ? [ofRelease, ofUrl] : [ofRelease];
  });
  const [first, ...others] = latest.map((query) => db.selectFrom(query.as('latest')).selectAll());
  return first?.unionAll(others);
}

async function findByAddress({ db }: Store, app: string, release: string, file: string): Promise<Found | undefined> {
  const addresses = listAddresses(file);
  const rows = (await selectOfAddresses(db, app, release, addresses)?.execute()) ?? [];
  // The longest address, then the release.
  const rank = (row: (typeof rows)[number]): number =>
    addresses.indexOf(row.url) * 2 + (row.release === release ? 0 : 1);
  return toFound(app, rows.toSorted((a, b) => rank(a) - rank(b))[0]);
}

async function find(now: Known, app: string, release: string, { file, debugId }: Script): Promise<Found | undefined> {
  const { store } = now;
  if (debugId !== undefined) {
    const row = await selectOfDebugId(store.db, app, debugId).executeTakeFirst();
    if (row) return toFound(app, row);
  }
  const releases = await readReleases(now, app);
  const isKnown = app === ownApp ? releases.size > 0 : release !== '' && releases.has(release);
  return isKnown ? findByAddress(store, app, release, file) : undefined;
}

/** Once a day for each bundle: retention deletes what nobody uses. */
async function noteUse({ store }: Known, bundle: string): Promise<void> {
  const time = Date.now();
  if (time - (used.get(bundle) ?? 0) < dayMs) return;
  used.set(bundle, time);
  await store.commit(async (trx) => {
    await trx.updateTable('map_bundle').set({ last_used: time }).where('id', '=', bundle).execute();
  }, 'untrusted');
}

/** @throws the database's error */
export async function findMap(app: string, release: string, script: Script): Promise<MapPlace | undefined> {
  const store = await openStore();
  const now = knowledgeOf(store);
  const key = JSON.stringify([app, release, script.debugId, script.file]);
  if (!now.found.has(key)) {
    if (isKnownAway(store)) return now.before?.found.get(key)?.place;
    try {
      await inTime(lookUp(now, app, release, script, key), lateMs);
    } catch (error) {
      if (!isNotAsked(error)) throw error;
      return now.before?.found.get(key)?.place;
    }
  }
  const found = now.found.get(key);
  if (found) void noteUse(now, found.bundle).catch(() => undefined);
  return found?.place;
}

async function lookUp(now: Known, app: string, release: string, script: Script, key: string): Promise<void> {
  // Nothing was uploaded: the usual case costs no look-up.
  const found = (await readReleases(now, app)).size === 0 ? undefined : await find(now, app, release, script);
  if (now.found.size >= keptAnswers) now.found.clear();
  now.found.set(key, found);
}
