import 'server-only';

import { type Expression, type Kysely, sql, type SqlBool } from 'kysely';

import { requireReader } from '#src/access/require-reader.ts';
import { runtimeSettings } from '#src/runtime/settings.ts';
import { openStore } from '#src/store/open-store.ts';
import { ownApp } from '#src/store/own-app.ts';
import type { EventRow, Tables } from '#src/store/schema.ts';

import type { Asked } from './asked-time.ts';
import { saysOne, toPrintedDigest } from '../app-errors/own-digest.ts';
import { type Choice, chooseError } from './choose-error.ts';
import { readPast } from './find-past.ts';
import type {
  Breadcrumb,
  BrowserError,
  ErrorDetails,
  OtherFault,
  PrintedToo,
  Said,
  StoredError,
} from '../kept/error-details.ts';
import { mapSaid } from '../event/said-words.ts';
import { whenComplete } from '../kept/record-error.ts';
import { resolveCauses, resolveShown } from './resolve-shown.ts';
import { isMaskedMessage, isMinted } from '../grouping/masked-errors.ts';
import { isOfApp, isUnder, selectEvents } from '../kept/select-events.ts';
import { readBreadcrumbs, readCauses, readFrames, readTexts } from '../kept/stored-json.ts';

/**
 * Everything that is known about one error: its row, and what browsers reported of it. What its fault is, src/faults/grouping says.
 */

/**
 * Anyone who read a digest can post untrusted errors for it. The browser that had the error posts within seconds. So the first
 * untrusted errors are the likeliest to be real, and later ones cannot push them out.
 */
const browserErrorsShown = 20;
/** A trace is a document with all that followed. A browser's copy of this error comes within the time of one loading. */
const sameTraceWithinMs = 60_000;
/** A visitor's report of it that has no trace: sent again, because the network was away. */
const maybeWithinMs = 10 * 60_000;
/** In a storm most of them have traces of their own. */
const maybeRead = 200;
/** Of one digest. */
const latestRead = 20;
/** Of the first, and of the latest. */
const printedShown = 3;

function toSaid(row: EventRow): Said {
  return {
    ...mapSaid((word) => row[word]),
    level: row.level,
    user: row.user_key ?? '',
    tags: readTexts(row.tags_json),
    extra: readTexts(row.extra_json),
  };
}

async function toStoredError(row: EventRow): Promise<StoredError> {
  const { app, release } = row;
  return {
    id: row.id,
    digest: row.digest,
    app: row.app,
    framework: row.framework,
    route: row.route,
    runtime: row.runtime,
    printedDigest: row.printed_digest,
    fingerprint: row.fingerprint,
    time: row.time,
    phase: row.phase,
    kind: row.kind,
    method: row.method,
    path: row.path,
    requestId: row.request_id,
    traceId: row.trace_id,
    release,
    name: row.name,
    message: row.message,
    stack: row.stack,
    frames: await resolveShown(app, release, readFrames(row.frames_json)),
    componentStack: row.component_stack ?? undefined,
    causes: await resolveCauses({ side: 'server', app, release }, readCauses(row.causes_json)),
    said: toSaid(row),
  };
}

async function toBrowserError(row: EventRow): Promise<BrowserError> {
  const { app, release } = row;
  return {
    eventId: row.id,
    time: row.time,
    path: row.path,
    name: row.name,
    message: row.message,
    frames: await resolveShown(app, release, readFrames(row.frames_json)),
    componentStack: row.component_stack ?? undefined,
    userAgent: row.user_agent || undefined,
    release: release || undefined,
    traceId: row.trace_id || undefined,
    causes: await resolveCauses({ side: 'browser', app, release }, readCauses(row.causes_json)),
    said: toSaid(row),
  };
}

/** Two untrusted errors of one page share most of their breadcrumbs. Each breadcrumb is shown once. */
function mergeBreadcrumbs(server: string, browserErrors: readonly EventRow[]): Breadcrumb[] {
  const distinct = new Map<string, Breadcrumb>();
  const browser = browserErrors.flatMap((error) => readBreadcrumbs(error.breadcrumbs_json, 'browser'));
  for (const crumb of [...readBreadcrumbs(server, 'server'), ...browser]) {
    distinct.set(JSON.stringify([crumb.side, crumb.time, crumb.category, crumb.message]), crumb);
  }
  const all = [...distinct.values()].sort((a, b) => a.time - b.time);
  const kept = runtimeSettings.breadcrumbsKept;
  const newest = new Set([
    ...all.filter((crumb) => crumb.side === 'server').slice(-kept),
    ...all.filter((crumb) => crumb.side === 'browser').slice(-kept),
  ]);
  return all.filter((crumb) => newest.has(crumb));
}

/**
 * A digest of another app names a fault, unless it looks like one that `flight-recorder/rsc` minted there. One of ten digits
 * may be either, and is nearly always Next's.
 */
function whatItNames(app: string, digest: string | null): ErrorDetails['names'] {
  if (app === ownApp || digest === null) return 'error';
  return isMinted(digest) ? 'error' : 'fault';
}

/** @param which those that an index finds */
function selectUntrusted(db: Kysely<Tables>, which: Expression<SqlBool>) {
  const untrusted = selectEvents(db, 'browser').selectAll().where(which);
  return untrusted.orderBy('received_at').orderBy('id').limit(browserErrorsShown);
}

function selectTrusted(db: Kysely<Tables>) {
  return selectEvents(db, 'server').selectAll();
}

function isMeant({ message, phase }: Pick<EventRow, 'message' | 'phase'>): boolean {
  return phase !== 'answer' && !isMaskedMessage(message);
}

/**
 * The latest with this digest that says what went wrong. React's own text does not, and an app's output may have it any number of times;
 * nor does an answer that nobody explained.
 */
async function findLatest(db: Kysely<Tables>, app: string, digest: string): Promise<EventRow | undefined> {
  const rows = selectEvents(db, 'server')
    .select(['id', 'message', 'phase'])
    .where(isUnder(digest, app))
    .limit(latestRead);
  const latest = await rows.orderBy('time', 'desc').execute();
  const meant = latest.find(isMeant) ?? (await rows.orderBy('time').execute()).find(isMeant) ?? latest[0];
  return meant && selectTrusted(db).where('id', '=', meant.id).executeTakeFirst();
}

/**
 * Errors that were printed with this digest and say something else than the one that is shown (app-errors/own-digest.ts). Of each text
 * one, of the first and of the latest: no number of others hides either.
 */
async function readPrintedToo(
  db: Kysely<Tables>,
  { app, digest }: Pick<ErrorDetails, 'app' | 'digest'>,
  shown: EventRow | undefined,
): Promise<readonly PrintedToo[]> {
  if (app === ownApp || digest === null || !shown || !saysOne(digest)) return [];
  const printed = sql<boolean>`event.app = ${app} and event.printed_digest = ${toPrintedDigest(digest)}`;
  const found: PrintedToo[] = [];
  // What was printed and does not have the digest may say the same, and was thrown elsewhere.
  for (const [where, areOthers] of [
    [printed, true],
    [isUnder(digest, app), false],
  ] as const) {
    const rows = selectEvents(db, 'server').select(['id', 'name', 'message', 'time', 'phase']).where(where);
    for (const direction of ['asc', 'desc'] as const) {
      const some = await rows.orderBy('time', direction).limit(latestRead).execute();
      const others = some.filter((row) => isMeant(row) && (areOthers || row.message !== shown.message));
      const texts = new Map(
        others.toReversed().map(({ id, name, message, time }) => [message, { id, name, message, time }]),
      );
      found.push(...[...texts.values()].slice(-printedShown));
    }
  }
  const byText = new Map(found.map((one) => [one.message, one]));
  return [...byText.values()].toSorted((one, other) => other.time - one.time);
}

/** Looks at the first and the latest with this digest: no number of others hides a fault that goes on. */
async function readOtherFaults(
  db: Kysely<Tables>,
  { app, digest }: Pick<ErrorDetails, 'app' | 'digest'>,
  shown: EventRow | undefined,
): Promise<readonly OtherFault[]> {
  if (app === ownApp || digest === null || !shown) return [];
  const rows = selectEvents(db, 'server')
    .select(['id', 'name', 'message', 'time', 'fault', 'causes_json'])
    .where(isUnder(digest, app))
    .where('phase', '!=', 'answer')
    .limit(latestRead);
  const found = [...(await rows.orderBy('time').execute()), ...(await rows.orderBy('time', 'desc').execute())];
  const others = found.filter(({ fault, message }) => fault !== shown.fault && message === shown.message);
  const byFault = new Map(others.toSorted((one, other) => one.time - other.time).map((one) => [one.fault, one]));
  return [...byFault.values()].map(({ id, name, message, time, causes_json: json }) => {
    const [cause] = readCauses(json);
    return { id, name, message, time, cause: cause ? `${cause.name}: ${cause.message}` : '' };
  });
}

/** Finds what a browser told of this error by its trace, since an SDK may not say the digest. Two digests of one trace are two errors. */
async function readTraced(db: Kysely<Tables>, { app, digest, trace_id: trace, time }: EventRow): Promise<EventRow[]> {
  if (app === ownApp || trace === '') return [];
  return selectUntrusted(db, sql<boolean>`trace_id = ${trace}`)
    .where(isOfApp(app))
    .where('received_at', '>=', time - sameTraceWithinMs)
    .where('received_at', '<=', time + sameTraceWithinMs)
    .$if(digest !== null, (query) =>
      query.where(({ eb, or }) => or([eb('digest', 'is', null), eb('digest', '=', digest)])),
    )
    .execute();
}

/** What is sure to be of this error, and what has its digest and says no trace, or cannot be compared with one. */
type Joined = { readonly sure: readonly EventRow[]; readonly maybe: readonly EventRow[] };

/** Untrusted errors of a digest that names a fault, about when its error was. Whose trace is another one's had an error of its own. */
async function readMaybe(
  db: Kysely<Tables>,
  { app, digest, trace_id: trace, time }: EventRow,
): Promise<readonly EventRow[]> {
  if (digest === null) return [];
  const rows = await selectUntrusted(db, isUnder(digest, app))
    .clearLimit()
    .where('received_at', '>=', time - sameTraceWithinMs)
    .where('received_at', '<=', time + maybeWithinMs)
    .limit(maybeRead)
    .execute();
  return rows.filter((error) => trace === '' || !error.trace_id).slice(0, browserErrorsShown);
}

/** Nobody but browsers told it: the first of them is shown, and which others are of the same visitor its trace says. */
function splitUntrusted(rows: readonly EventRow[]): Joined {
  const trace = rows[0]?.trace_id;
  const isSame = (error: EventRow, index: number) => index === 0 || (!!trace && error.trace_id === trace);
  return { sure: rows.filter(isSame), maybe: rows.filter((error, index) => !isSame(error, index)) };
}

/** A digest that names one error joins the two sides by itself; one that many visitors have needs the trace. */
async function readBrowserErrors(
  db: Kysely<Tables>,
  app: string,
  digest: string | null,
  server: EventRow | undefined,
): Promise<Joined> {
  const traced = server ? await readTraced(db, server) : [];
  if (server && whatItNames(app, digest) === 'fault') return { sure: traced, maybe: await readMaybe(db, server) };
  const named = digest === null ? [] : await selectUntrusted(db, isUnder(digest, app)).execute();
  if (whatItNames(app, digest) === 'fault') return splitUntrusted(named);
  const known = new Set(named.map(({ id }) => id));
  return { sure: [...named, ...traced.filter(({ id }) => !known.has(id))], maybe: [] };
}

/** What is said ourselves of an answer that nobody explained is no more errors, where an app has told some with the digest. */
async function countWithDigest(db: Kysely<Tables>, app: string, digest: string | null): Promise<number> {
  if (digest === null || whatItNames(app, digest) === 'error') return 1;
  const { all, answers } = await selectEvents(db, 'server')
    .select(({ fn }) => fn.countAll<number>().as('all'))
    .select(sql<number>`coalesce(sum(case when phase = 'answer' then 1 else 0 end), 0)`.as('answers'))
    .where(isUnder(digest, app))
    .executeTakeFirstOrThrow();
  return all > answers ? all - answers : all;
}

async function toErrorDetails(
  db: Kysely<Tables>,
  { app, digest }: Pick<ErrorDetails, 'app' | 'digest'>,
  server: EventRow | undefined,
  { sure, maybe }: Joined,
  choice?: Choice,
): Promise<ErrorDetails | undefined> {
  const row = server ?? sure[0];
  if (!row) return undefined;
  const names = whatItNames(app, digest);
  return {
    digest,
    app,
    names,
    fingerprint: row.fingerprint,
    fault: row.fault,
    server: server && (await toStoredError(server)),
    browser: await Promise.all(sure.map(toBrowserError)),
    maybe: await Promise.all(maybe.map(toBrowserError)),
    breadcrumbs: mergeBreadcrumbs(server?.breadcrumbs_json ?? '[]', sure),
    withDigest: await countWithDigest(db, app, digest),
    past: names === 'fault' && digest !== null ? await readPast(db, app, digest) : [],
    choice,
    printedToo: await readPrintedToo(db, { app, digest }, server),
    otherFaults: await readOtherFaults(db, { app, digest }, server),
  };
}

/** Chooses which error is meant by a digest that names several. */
async function choose(
  db: Kysely<Tables>,
  of: { readonly app: string; readonly digest: string },
  asked: Asked,
): Promise<Choice | undefined> {
  if (whatItNames(of.app, of.digest) === 'error') return undefined;
  return chooseError(db, of, asked, await readPast(db, of.app, of.digest));
}

/**
 * Everything known about `digest`, which must be in its stored form. Of a digest that names a fault: about the error that was
 * asked for, else its latest. Undefined when nothing is known. For an error that happened a moment ago, this waits until its stack
 * has been read.
 */
export async function findErrorDetails(
  digest: string,
  app: string = ownApp,
  asked: Asked = { at: undefined, path: undefined },
): Promise<ErrorDetails | undefined> {
  requireReader();
  await whenComplete(digest);
  const { db } = await openStore();
  const choice = await choose(db, { app, digest }, asked);
  const chosen = choice?.candidates[0]?.id;
  const server =
    chosen === undefined
      ? await findLatest(db, app, digest)
      : await selectTrusted(db).where('id', '=', chosen).executeTakeFirst();
  return toErrorDetails(db, { app, digest }, server, await readBrowserErrors(db, app, digest, server), choice);
}

/** Everything known about the error whose row has this key. For one of our own of a moment ago, this waits as `findErrorDetails` does. */
export async function findErrorDetailsById(id: string): Promise<ErrorDetails | undefined> {
  requireReader();
  await whenComplete(id);
  const { db } = await openStore();
  const server = await selectTrusted(db).where('id', '=', id).executeTakeFirst();
  return server && toErrorDetails(db, server, server, await readBrowserErrors(db, server.app, server.digest, server));
}

/** The server's error that a browser's error is about, where one is known. */
async function findServerError(db: Kysely<Tables>, error: EventRow) {
  const { app, digest, trace_id: traceId, received_at: time } = error;
  if (digest !== null) {
    const server = await findLatest(db, app, digest);
    if (server && (whatItNames(app, digest) === 'error' || server.trace_id === traceId)) return server;
  }
  if (traceId === '' || error.fault === null) return undefined;
  const traced = selectTrusted(db).where('trace_id', '=', traceId).where(isOfApp(app));
  return traced
    .where('fault', '=', error.fault)
    .where('time', '>=', time - sameTraceWithinMs)
    .where('time', '<=', time + sameTraceWithinMs)
    .limit(1)
    .executeTakeFirst();
}

/** Everything known about one browser's error: what that browser said, and the server's error where it has one. */
export async function findBrowserErrorDetails(eventId: string): Promise<ErrorDetails | undefined> {
  requireReader();
  const { db } = await openStore();
  const error = await selectEvents(db, 'browser').selectAll().where('id', '=', eventId).executeTakeFirst();
  return error && toErrorDetails(db, error, await findServerError(db, error), { sure: [error], maybe: [] });
}
