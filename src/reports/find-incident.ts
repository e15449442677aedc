import 'server-only';

import type { Kysely, Selectable } from 'kysely';

import { requireOperator } from '#src/operator/require-operator.ts';
import { isDigest } from '#src/runtime/errors/digest.ts';
import { runtimeSettings } from '#src/runtime/settings.ts';
import { openStore } from '#src/store/open-store.ts';
import { ownApp } from '#src/store/own-app.ts';
import type { ErrorTable, ReportTable, Tables } from '#src/store/schema.ts';

import type { Breadcrumb, BrowserReport, Incident, StoredError } from './incident.ts';
import { chartOccurrences } from './occurrences.ts';
import { whenComplete } from './record-error.ts';
import {
  isOfApp,
  selectBrowserErrors,
  selectServerErrors,
  summariseBrowser,
  summariseServer,
} from './select-errors.ts';
import { readBreadcrumbs, readCauses, readFrames } from './stored-json.ts';

/**
 * Everything that is known about one error: its row, what browsers reported of it, and the other occurrences of its fault.
 */

const othersShown = 20;
/**
 * Anyone who read a digest can post reports for it. The browser that had the error posts within seconds. So the first
 * reports are the likeliest to be real, and later ones cannot push them out.
 */
const reportsShown = 20;
/** A trace is a document with all that followed. A browser's report of this error comes within the time of one loading. */
const sameTraceWithinMs = 60_000;

function toStoredError(row: Selectable<ErrorTable>): StoredError {
  return {
    id: row.id,
    digest: row.digest,
    app: row.app,
    fault: row.fault,
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
    release: row.release,
    name: row.name,
    message: row.message,
    stack: row.stack,
    frames: readFrames(row.frames_json),
    componentStack: row.component_stack ?? undefined,
    causes: readCauses(row.causes_json),
  };
}

function toBrowserReport(row: Selectable<ReportTable>): BrowserReport {
  return {
    eventId: row.event_id,
    time: row.time,
    path: row.path,
    name: row.name,
    message: row.message,
    frames: readFrames(row.frames_json),
    componentStack: row.component_stack ?? undefined,
    userAgent: row.user_agent ?? undefined,
    release: row.release ?? undefined,
    traceId: row.trace_id ?? undefined,
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

async function findServerOccurrences(
  db: Kysely<Tables>,
  { id, app, digest, fingerprint }: Selectable<ErrorTable>,
  names: Incident['names'],
): Promise<Incident['occurrences']> {
  const by = names === 'fault' ? (['digest', digest ?? ''] as const) : (['fingerprint', fingerprint] as const);
  const moments = db.selectFrom('error').select('time').where(by[0], '=', by[1]).where(isOfApp(app));
  const others = await selectServerErrors(db)
    .where(by[0], '=', by[1])
    .where(isOfApp(app))
    .where('id', '!=', id)
    .limit(othersShown)
    .execute();
  return { ...(await chartOccurrences(db, moments)), others: others.map(summariseServer) };
}

async function findBrowserOccurrences(
  db: Kysely<Tables>,
  { app, digest, fingerprint }: Selectable<ReportTable>,
): Promise<Incident['occurrences']> {
  const same = selectBrowserErrors(db).where('fingerprint', '=', fingerprint).where(isOfApp(app));
  const others = await same.where('digest', '!=', digest).limit(othersShown).execute();
  return { ...(await chartOccurrences(db, same.clearOrderBy())), others: others.map(summariseBrowser) };
}

async function toIncident(
  db: Kysely<Tables>,
  app: string,
  digest: string | null,
  server: Selectable<ErrorTable> | undefined,
): Promise<Incident | undefined> {
  const reports = await readReports(db, app, digest, server);
  const names = whatItNames(app, digest);
  const [first] = reports;
  const occurrences = server
    ? await findServerOccurrences(db, server, names)
    : first && (await findBrowserOccurrences(db, first));
  const fingerprint = server?.fingerprint ?? first?.fingerprint;
  if (!occurrences || fingerprint === undefined) return undefined;
  return {
    digest,
    app,
    names,
    fingerprint,
    server: server && toStoredError(server),
    browser: reports.map(toBrowserReport),
    breadcrumbs: mergeBreadcrumbs(server?.breadcrumbs_json ?? '[]', reports),
    occurrences,
  };
}

/**
 * Everything known about `digest`, which must be in its stored form. Of a digest that names a fault: about its latest occurrence.
 * Undefined when nothing is known. For an error that happened a moment ago, this waits until its stack has been read.
 */
export async function findIncident(digest: string, app: string = ownApp): Promise<Incident | undefined> {
  requireOperator();
  await whenComplete(digest);
  const { db } = await openStore();
  const latest = db.selectFrom('error').selectAll().where('digest', '=', digest).where(isOfApp(app));
  return toIncident(db, app, digest, await latest.orderBy('time', 'desc').limit(1).executeTakeFirst());
}

/** Everything known about the error whose row has this key. */
export async function findIncidentById(id: string): Promise<Incident | undefined> {
  requireOperator();
  const { db } = await openStore();
  const server = await db.selectFrom('error').selectAll().where('id', '=', id).executeTakeFirst();
  return server && toIncident(db, server.app, server.digest, server);
}
