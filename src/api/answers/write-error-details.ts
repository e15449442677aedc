import 'server-only';

import { findTellingFrame } from '#src/faults/interface/error/format-stack.ts';
import { showDigest } from '#src/ui/show-digest.ts';
import { digestPath, errorPath, faultPath, readApiAddress } from '#src/server/http/addresses.ts';
import { findFlightsOf } from '#src/faults/digests/find-flights-of.ts';
import { countErrors } from '#src/faults/grouping/counted.ts';
import { readFault } from '#src/faults/grouping/read-faults.ts';
import { listFeedback } from '#src/faults/feedback/list-feedback.ts';
import type { BrowserError, Cause, ErrorDetails, Said, StoredError } from '#src/faults/kept/error-details.ts';
import type { SourceFrame } from '#src/runtime/errors/source-maps.ts';
import { ownApp } from '#src/store/own-app.ts';

import type { Frame, ErrorAnswer } from '../schemas/errors.ts';
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

function writeSaid(said: Said): NonNullable<ErrorAnswer['server']>['said'] {
  return { ...said, tags: { ...said.tags }, extra: { ...said.extra } };
}

function writeServer(error: StoredError): ErrorAnswer['server'] {
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

function writeBrowserError(error: BrowserError): ErrorAnswer['browser'][number] {
  return {
    eventId: error.eventId,
    time: toTime(error.time),
    name: error.name,
    message: error.message,
    telling: writeTelling(error.frames),
    frames: error.frames.map(writeFrame),
    causes: error.causes.map(writeCause),
    componentStack: error.componentStack ?? null,
    path: error.path,
    release: error.release ?? null,
    userAgent: error.userAgent ?? null,
    traceId: error.traceId ?? null,
    said: writeSaid(error.said),
  };
}

async function writeFault(id: string | null, origin: string): Promise<ErrorAnswer['fault']> {
  const fault = id === null ? undefined : await readFault(id);
  if (!fault) return null;
  return {
    id: fault.id,
    state: fault.state,
    errors: countErrors(fault),
    users: fault.users,
    firstTime: toTime(fault.firstTime),
    lastTime: toTime(fault.lastTime),
    page: origin + faultPath(fault.id),
    self: readApiAddress('faults', fault.id),
  };
}

function findPage({ app, digest, server, browser, fault }: ErrorDetails): string {
  if (app === ownApp && digest !== null) return digestPath(showDigest(digest, app));
  if (server) return errorPath(server.id);
  if (digest !== null) return digestPath(digest, app);
  return fault === null ? '' : faultPath(fault, browser[0]?.eventId);
}

/** One error with all that is known of it, as its page shows it. */
export async function writeErrorDetails(details: ErrorDetails, origin: string): Promise<ErrorAnswer> {
  const { app, digest, server, browser } = details;
  const feedback = await listFeedback({ app, digest, ...(server ? { eventId: server.id } : {}) });
  const { foundBy, flights } = await findFlightsOf(details);
  return {
    digest: digest === null ? null : showDigest(digest, app),
    app,
    names: details.names,
    withDigest: details.withDigest,
    deletedWithDigest: details.past.reduce((sum, { count }) => sum + count, 0),
    fault: await writeFault(details.fault, origin),
    isUntrusted: server === undefined,
    server: server ? writeServer(server) : null,
    browser: browser.map(writeBrowserError),
    maybe: details.maybe.map(writeBrowserError),
    breadcrumbs: details.breadcrumbs.map((crumb) => ({ ...crumb, time: toTime(crumb.time), data: { ...crumb.data } })),
    feedback: feedback.items.map((item) => ({
      time: toTime(item.receivedAt),
      name: item.name,
      message: item.message,
      path: item.path,
    })),
    flights: flights.slice(0, flightsShown).map((flight) => writeFlight(flight, origin)),
    flightsFoundBy: flights.length === 0 ? null : foundBy,
    printedToo: details.printedToo.map(({ id, name, message, time }) => ({
      name,
      message,
      time: toTime(time),
      page: origin + errorPath(id),
    })),
    otherFaults: details.otherFaults.map(({ id, name, message, cause, time }) => ({
      name,
      message,
      cause,
      time: toTime(time),
      page: origin + errorPath(id),
    })),
    page: origin + findPage(details),
  };
}
