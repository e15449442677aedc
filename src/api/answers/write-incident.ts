import 'server-only';

import { findTellingFrame } from '#src/components/incident/format-stack.ts';
import { showDigest } from '#src/components/show-digest.ts';
import { digestPath, errorPath, faultPath, readApiAddress } from '#src/http/addresses.ts';
import { findFlightsByDigest, findFlightsOfError } from '#src/recorder/for-operator/queries.ts';
import type { FlightSummary } from '#src/recorder/flight-record.ts';
import { countOccurrences } from '#src/reports/faults/counted.ts';
import { readFault } from '#src/reports/faults/read-faults.ts';
import { listFeedback } from '#src/reports/feedback/list-feedback.ts';
import type { BrowserReport, Cause, Incident, Said, StoredError } from '#src/reports/incident.ts';
import type { SourceFrame } from '#src/runtime/errors/source-maps.ts';
import { ownApp } from '#src/store/own-app.ts';

import type { Frame, IncidentAnswer } from '../schemas/errors.ts';
import { toTime } from '../schemas/values.ts';
import { writeFlight } from './write-flight.ts';

/** A request has one; a page that was fetched again after it failed, a second. */
const flightsShown = 3;

function writeFrame(frame: SourceFrame): Frame {
  return {
    function: frame.fn,
    file: frame.file,
    source: frame.source ?? null,
    line: frame.line,
    column: frame.column,
    inApp: frame.inApp,
    context: frame.context ? { firstLine: frame.context.firstLine, lines: [...frame.context.lines] } : null,
  };
}

function writeTelling(frames: readonly SourceFrame[]): Frame | null {
  const telling = findTellingFrame(frames);
  return telling ? writeFrame(telling) : null;
}

function writeCause({ name, message, stack, frames }: Cause) {
  return { name, message, stack, frames: frames.map(writeFrame) };
}

function writeSaid({ level, environment, sdk, user, tags, extra }: Said) {
  return { level, environment, sdk, user, tags: { ...tags }, extra: { ...extra } };
}

function writeServer(error: StoredError): IncidentAnswer['server'] {
  return {
    id: error.id,
    time: toTime(error.time),
    name: error.name,
    message: error.message,
    telling: writeTelling(error.frames),
    frames: error.frames.map(writeFrame),
    causes: error.causes.map(writeCause),
    stack: error.stack,
    componentStack: error.componentStack ?? null,
    phase: error.phase,
    kind: error.kind,
    method: error.method,
    path: error.path,
    route: error.route,
    framework: error.framework,
    runtime: error.runtime,
    release: error.release,
    requestId: error.requestId,
    traceId: error.traceId,
    said: writeSaid(error.said),
  };
}

function writeReport(report: BrowserReport): IncidentAnswer['browser'][number] {
  return {
    eventId: report.eventId,
    time: toTime(report.time),
    name: report.name,
    message: report.message,
    telling: writeTelling(report.frames),
    frames: report.frames.map(writeFrame),
    causes: report.causes.map(writeCause),
    componentStack: report.componentStack ?? null,
    path: report.path,
    release: report.release ?? null,
    userAgent: report.userAgent ?? null,
    traceId: report.traceId ?? null,
    said: writeSaid(report.said),
  };
}

async function writeFault(id: string | null, origin: string): Promise<IncidentAnswer['fault']> {
  const fault = id === null ? undefined : await readFault(id);
  if (!fault) return null;
  return {
    id: fault.id,
    state: fault.state,
    occurrences: countOccurrences(fault),
    users: fault.users,
    firstTime: toTime(fault.firstTime),
    lastTime: toTime(fault.lastTime),
    page: origin + faultPath(fault.id),
    self: readApiAddress('faults', fault.id),
  };
}

/** Of another app also by the ids of the request, as the page of the error finds them. */
async function findFlights({ app, digest, server }: Incident): Promise<readonly FlightSummary[]> {
  if (app !== ownApp && server) return findFlightsOfError({ ...server, digest });
  return digest === null ? [] : findFlightsByDigest(digest, app);
}

function findPage({ app, digest, server, browser, fault }: Incident): string {
  if (app === ownApp && digest !== null) return digestPath(showDigest(digest, app));
  if (server) return errorPath(server.id);
  if (digest !== null) return digestPath(digest, app);
  return fault === null ? '' : faultPath(fault, browser[0]?.eventId);
}

/** One error with all that is known of it, as its page shows it. */
export async function writeIncident(incident: Incident, origin: string): Promise<IncidentAnswer> {
  const { app, digest, server, browser } = incident;
  const feedback = await listFeedback({ app, digest, ...(server ? { eventId: server.id } : {}) });
  const flights = await findFlights(incident);
  return {
    digest: digest === null ? null : showDigest(digest, app),
    app,
    names: incident.names,
    withDigest: incident.withDigest,
    fault: await writeFault(incident.fault, origin),
    isClaim: server === undefined,
    server: server ? writeServer(server) : null,
    browser: browser.map(writeReport),
    breadcrumbs: incident.breadcrumbs.map((crumb) => ({ ...crumb, time: toTime(crumb.time), data: { ...crumb.data } })),
    feedback: feedback.items.map((item) => ({
      time: toTime(item.receivedAt),
      name: item.name,
      message: item.message,
      path: item.path,
    })),
    flights: flights.slice(0, flightsShown).map((flight) => writeFlight(flight, origin)),
    page: origin + findPage(incident),
  };
}
