import 'server-only';

import type { Kysely, Selectable } from 'kysely';

import { requireReader } from '#src/operator/require-reader.ts';
import { isDigest } from '#src/runtime/errors/digest.ts';
import { runtimeSettings } from '#src/runtime/settings.ts';
import { openStore } from '#src/store/open-store.ts';
import { ownApp } from '#src/store/own-app.ts';
import type { ErrorTable, ReportTable, Tables } from '#src/store/schema.ts';

import type { Breadcrumb, BrowserReport, Incident, Said, StoredError } from './incident.ts';
import { whenComplete } from './record-error.ts';
import { resolveCauses, resolveShown } from './resolve-shown.ts';
import { isOfApp } from './select-errors.ts';
import { readBreadcrumbs, readCauses, readFrames, readTexts } from './stored-json.ts';

/**
 * Everything that is known about one error: its row, and what browsers reported of it. What its fault is, src/reports/faults says.
 */

/**
 * Anyone who read a digest can post reports for it. The browser that had the error posts within seconds. So the first
 * reports are the likeliest to be real, and later ones cannot push them out.
 */
const reportsShown = 20;
/** A trace is a document with all that followed. A browser's report of this error comes within the time of one loading. */
const sameTraceWithinMs = 60_000;

type SaidRow = Pick<Selectable<ErrorTable>, 'level' | 'environment' | 'sdk' | 'user_key' | 'tags_json' | 'extra_json'>;

function toSaid({ level, environment, sdk, user_key, tags_json, extra_json }: SaidRow): Said {
  return {
    level,
    environment,
    sdk,
    user: user_key ?? '',
    tags: readTexts(tags_json),
    extra: readTexts(extra_json),
  };
}

async function toStoredError(row: Selectable<ErrorTable>): Promise<StoredError> {
  const { app, release } = row;
  return {
    id: row.id,
    digest: row.digest,
    app: row.app,
    framework: row.framework,
    route: row.route,
    runtime: row.runtime,
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

async function toBrowserReport(row: Selectable<ReportTable>): Promise<BrowserReport> {
  const { app, release } = row;
  return {
    eventId: row.event_id,
    time: row.time,
    path: row.path,
    name: row.name,
    message: row.message,
    frames: await resolveShown(app, release ?? '', readFrames(row.frames_json)),
    componentStack: row.component_stack ?? undefined,
    userAgent: row.user_agent ?? undefined,
    release: release ?? undefined,
    traceId: row.trace_id ?? undefined,
    causes: await resolveCauses({ side: 'browser', app, release: release ?? '' }, readCauses(row.causes_json)),
    said: toSaid(row),
  };
}

/** Two reports of one page share most of their breadcrumbs. Each breadcrumb is shown once. */
function mergeBreadcrumbs(server: string, reports: readonly Selectable<ReportTable>[]): Breadcrumb[] {
  const distinct = new Map<string, Breadcrumb>();
  const browser = reports.flatMap((report) => readBreadcrumbs(report.breadcrumbs_json, 'browser'));
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
function whatItNames(app: string, digest: string | null): Incident['names'] {
  if (app === ownApp || digest === null) return 'occurrence';
  return isDigest(digest) && /[A-Z]/.test(digest) ? 'occurrence' : 'fault';
}

function selectReports(db: Kysely<Tables>, app: string) {
  return db
    .selectFrom('report')
    .selectAll()
    .where(isOfApp(app))
    .where('side', '=', 'browser')
    .orderBy('received_at')
    .orderBy('event_id')
    .limit(reportsShown);
}

function selectLatest(db: Kysely<Tables>, app: string, digest: string) {
  const named = db.selectFrom('error').selectAll().where('digest', '=', digest).where(isOfApp(app));
  return named.orderBy('time', 'desc').limit(1);
}

/** By the digest. Of another app also by the trace: its SDK may not say the digest. */
async function readReports(
  db: Kysely<Tables>,
  app: string,
  digest: string | null,
  server: Selectable<ErrorTable> | undefined,
): Promise<Selectable<ReportTable>[]> {
  const named = digest === null ? [] : await selectReports(db, app).where('digest', '=', digest).execute();
  if (!server || app === ownApp || server.trace_id === '') return named;
  const traced = await selectReports(db, app)
    .where('trace_id', '=', server.trace_id)
    .where('received_at', '>=', server.time - sameTraceWithinMs)
    .where('received_at', '<=', server.time + sameTraceWithinMs)
    .execute();
  const known = new Set(named.map(({ event_id }) => event_id));
  return [...named, ...traced.filter(({ event_id }) => !known.has(event_id))];
}

async function countWithDigest(db: Kysely<Tables>, app: string, digest: string | null): Promise<number> {
  if (whatItNames(app, digest) === 'occurrence') return 1;
  const { count } = await db
    .selectFrom('error')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('digest', '=', digest)
    .where(isOfApp(app))
    .executeTakeFirstOrThrow();
  return count;
}

async function toIncident(
  db: Kysely<Tables>,
  { app, digest }: Pick<Incident, 'app' | 'digest'>,
  server: Selectable<ErrorTable> | undefined,
  reports: readonly Selectable<ReportTable>[],
): Promise<Incident | undefined> {
  const row = server ?? reports[0];
  if (!row) return undefined;
  return {
    digest,
    app,
    names: whatItNames(app, digest),
    fingerprint: row.fingerprint,
    fault: row.fault,
    server: server && (await toStoredError(server)),
    browser: await Promise.all(reports.map(toBrowserReport)),
    breadcrumbs: mergeBreadcrumbs(server?.breadcrumbs_json ?? '[]', reports),
    withDigest: await countWithDigest(db, app, digest),
  };
}

/**
 * Everything known about `digest`, which must be in its stored form. Of a digest that names a fault: about its latest occurrence.
 * Undefined when nothing is known. For an error that happened a moment ago, this waits until its stack has been read.
 */
export async function findIncident(digest: string, app: string = ownApp): Promise<Incident | undefined> {
  requireReader();
  await whenComplete(digest);
  const { db } = await openStore();
  const server = await selectLatest(db, app, digest).executeTakeFirst();
  return toIncident(db, { app, digest }, server, await readReports(db, app, digest, server));
}

/** Everything known about the error whose row has this key. For one of our own of a moment ago, this waits as `findIncident` does. */
export async function findIncidentById(id: string): Promise<Incident | undefined> {
  requireReader();
  await whenComplete(id);
  const { db } = await openStore();
  const server = await db.selectFrom('error').selectAll().where('id', '=', id).executeTakeFirst();
  return server && toIncident(db, server, server, await readReports(db, server.app, server.digest, server));
}

/** The server's error that a browser's report is about, where one is known. */
async function findReported(db: Kysely<Tables>, report: Selectable<ReportTable>) {
  const { app, digest, trace_id: traceId, received_at: time } = report;
  if (digest !== null) {
    const server = await selectLatest(db, app, digest).executeTakeFirst();
    if (server && (whatItNames(app, digest) === 'occurrence' || server.trace_id === traceId)) return server;
  }
  if (traceId === null || report.fault === null) return undefined;
  const traced = db.selectFrom('error').selectAll().where('trace_id', '=', traceId).where(isOfApp(app));
  return traced
    .where('fault', '=', report.fault)
    .where('time', '>=', time - sameTraceWithinMs)
    .where('time', '<=', time + sameTraceWithinMs)
    .limit(1)
    .executeTakeFirst();
}

/** Everything known about the error of one browser's report: what that browser said, and the server's error where it has one. */
export async function findIncidentOfReport(eventId: string): Promise<Incident | undefined> {
  requireReader();
  const { db } = await openStore();
  const report = await db.selectFrom('report').selectAll().where('event_id', '=', eventId).executeTakeFirst();
  return report && toIncident(db, report, await findReported(db, report), [report]);
}
