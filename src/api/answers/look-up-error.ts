import 'server-only';

import { showDigest } from '#src/ui/show-digest.ts';
import { digestPath, errorPath, faultPath, readApiAddress } from '#src/server/http/addresses.ts';
import { findFlightsByDigest } from '#src/flights/for-operator/queries.ts';
import { countErrors } from '#src/faults/grouping/counted.ts';
import { readFault } from '#src/faults/grouping/read-faults.ts';
import { findById } from '#src/faults/grouping/find-by-id.ts';
import { findShownError } from '#src/faults/grouping/kept-errors.ts';
import { type DigestHolder, isAnyTrusted, listCandidates } from '#src/faults/digests/digest-holder.ts';
import { type Asked, readAskedPath, readAskedTime } from '#src/faults/digests/asked-time.ts';
import type { Choice } from '#src/faults/digests/choose-error.ts';
import { findPast, type PastDigest } from '#src/faults/digests/find-past.ts';
import { findDigest, findNearDigests } from '#src/faults/digests/find-digest.ts';
import {
  findErrorDetails,
  findErrorDetailsById,
  findBrowserErrorDetails,
} from '#src/faults/digests/find-error-details.ts';
import type { ErrorDetails } from '#src/faults/kept/error-details.ts';
import { readAnyCode } from '#src/faults/digests/read-code.ts';
import { findUnkept } from '#src/faults/digests/unkept-digests.ts';
import { ownApp } from '#src/store/own-app.ts';

import { type ApiAnswer, type ApiQuestion, notFound } from '../answer.ts';
import { mayReadApp } from '../scope.ts';
import type { LookedUp, NearDigestAnswer } from '../schemas/errors.ts';
import { toTime } from '../schemas/values.ts';
import { writeFlight } from './write-flight.ts';
import { writeErrorDetails } from './write-error-details.ts';

/** What a code, an event's id or a fault's id leads to, as the search box of the interface finds it. */

type Found = { readonly details: ErrorDetails; readonly others: readonly DigestHolder[] };

async function findLatestError(fault: string): Promise<ErrorDetails | undefined> {
  const shown = (await findShownError(fault))?.shown;
  if (!shown) return undefined;
  return shown.side === 'server' ? findErrorDetailsById(shown.key) : findBrowserErrorDetails(shown.key);
}

/** @param isMeant whether it may be one of this app */
async function findNamed(typed: string, isMeant: (app: string) => boolean): Promise<ErrorDetails | undefined> {
  const found = await findById(typed, isMeant);
  switch (found?.type) {
    case undefined:
    case 'trace':
      return undefined;
    case 'fault':
      return findLatestError(found.fault);
    case 'error':
      return findErrorDetailsById(found.key);
    case 'untrusted':
      return findBrowserErrorDetails(found.key);
  }
}

type LookedFor =
  | Found
  /** Digests repeat between apps: which one is meant is for whoever asks to say. */
  | { readonly apps: readonly DigestHolder[] }
  | { readonly past: readonly PastDigest[]; readonly holder: DigestHolder; readonly others: readonly DigestHolder[] };

/** What was asked besides the code. Undefined for a time that cannot be, such as the 40th of a month. */
function readAsked(fields: URLSearchParams): Asked | undefined {
  const [at, path] = [fields.get('at'), fields.get('path')];
  const time = at === null ? undefined : readAskedTime(at);
  if (at !== null && time === undefined) return undefined;
  return { at: time, path: path === null ? undefined : readAskedPath(path) };
}

async function findError(
  codes: readonly string[],
  { id, access, fields }: ApiQuestion,
  when: Asked,
): Promise<LookedFor | undefined> {
  const holders = (await findDigest(codes)).filter(({ app }) => mayReadApp(access, app));
  const asked = fields.get('app');
  const isMeant = (app: string) => mayReadApp(access, app) && (asked === null || app === asked);
  const named = isAnyTrusted(holders) ? undefined : await findNamed(id, isMeant);
  const details = named && isMeant(named.app) ? named : undefined;
  // A stranger can name the id of an event as a digest.
  if (details && (holders.length === 0 || details.server)) return { details, others: [] };
  const candidates = listCandidates(holders);
  if (asked === null && candidates.length > 1) return { apps: candidates };
  const holder = asked === null ? candidates[0] : holders.find(({ app }) => app === asked);
  if (holder) {
    const others = holders.filter((other) => other !== holder);
    const past = holder.isPast ? await findPast(holder.app, holder.digest) : [];
    if (past.length > 0) return { past, holder, others };
    const ofDigest = await findErrorDetails(holder.digest, holder.app, when);
    return ofDigest && { details: ofDigest, others };
  }
  return undefined;
}

function writeOthers(others: readonly DigestHolder[]) {
  return others.map(({ app, digest, lastTime, isTrusted }) => {
    return { app, digest, lastTime: toTime(lastTime), side: isTrusted ? ('server' as const) : ('browser' as const) };
  });
}

type ErrorAnswer = Extract<LookedUp, { type: 'error' }>;

function writeChoice(choice: Choice | undefined, origin: string): ErrorAnswer['choice'] {
  if (!choice) return null;
  const { type, isPathFound, isPathKnown, isPastNear, count, isCut } = choice;
  const candidates = choice.candidates.map(({ id, time, path }) => {
    return { id, time: toTime(time), path, page: origin + errorPath(id), self: readApiAddress('errors', id) };
  });
  return { type, isPathFound, isPathKnown, isPastNear, count, isCut, candidates };
}

type PastAnswer = Extract<LookedUp, { type: 'past' }>;

async function writePast(past: readonly PastDigest[], origin: string): Promise<PastAnswer['faults']> {
  const faults = await Promise.all(past.map(async (one) => ({ one, summary: await readFault(one.fault) })));
  return faults.flatMap(({ one, summary }) => {
    if (!summary) return [];
    return {
      id: summary.id,
      name: summary.name,
      message: summary.message,
      state: summary.state,
      errors: countErrors(summary),
      deleted: one.count,
      firstTime: toTime(one.firstTime),
      lastTime: toTime(one.lastTime),
      route: one.route,
      release: one.release,
      page: origin + faultPath(summary.id),
      self: readApiAddress('faults', summary.id),
    };
  });
}

function writeApps(apps: readonly DigestHolder[], { id, origin }: ApiQuestion): LookedUp {
  const listed = writeOthers(apps).map((one) => {
    const shown = showDigest(one.digest, one.app);
    const page = origin + digestPath(shown, one.app === ownApp ? undefined : one.app);
    return {
      ...one,
      page,
      self: `${readApiAddress('errors', shown)}?${new URLSearchParams({ app: one.app }).toString()}`,
    };
  });
  return { type: 'several-apps', code: id, apps: listed, page: origin + digestPath(id) };
}

async function writeFound(found: LookedFor, question: ApiQuestion): Promise<LookedUp> {
  const { id, origin } = question;
  if ('apps' in found) return writeApps(found.apps, question);
  const otherApps = writeOthers(found.others);
  if ('details' in found) {
    const { details } = found;
    const choice = writeChoice(details.choice, origin);
    return { type: 'error', code: id, otherApps, choice, details: await writeErrorDetails(details, origin) };
  }
  const { app, digest } = found.holder;
  const shown = showDigest(digest, app);
  const page = origin + digestPath(shown, app === ownApp ? undefined : app);
  return { type: 'past', code: id, digest: shown, app, otherApps, faults: await writePast(found.past, origin), page };
}

/** Nobody reported an error under it. The log may have it, or a flight that carried it. */
async function findTraces(codes: readonly string[], { access, fields, origin }: ApiQuestion) {
  const asked = fields.get('app');
  for (const code of codes) {
    const unkept = mayReadApp(access, ownApp) ? findUnkept(code) : undefined;
    const page = origin + digestPath(code);
    if (unkept) {
      const { time } = unkept;
      const reason = unkept.type === 'logged' ? unkept.reason : 'the database did not answer, and gets it when it does';
      return { type: 'log-only', code, time: toTime(time), reason, page } as const;
    }
    const carried = await findFlightsByDigest(code, asked ?? undefined);
    const flights = carried.filter(({ app }) => mayReadApp(access, app)).slice(0, flightsShown);
    if (flights.length > 0) {
      return { type: 'flights-only', code, flights: flights.map((one) => writeFlight(one, origin)), page } as const;
    }
  }
  return undefined;
}

const flightsShown = 3;

async function listNear({ id, access, origin, now }: ApiQuestion): Promise<NearDigestAnswer[]> {
  const apps = access.kind === 'reader' ? access.apps : undefined;
  const near = await findNearDigests(id, now, apps);
  return near.map(({ digest, app, time, path }) => {
    const shown = showDigest(digest, app);
    return {
      digest: shown,
      app,
      time: toTime(time),
      path,
      page: origin + digestPath(shown, app === ownApp ? undefined : app),
      self: readApiAddress('errors', shown) + (app === ownApp ? '' : `?app=${app}`),
    };
  });
}

/** The whole error behind a code, or its fault where it was deleted; near digests where there is none. */
export async function lookUpError(question: ApiQuestion): Promise<ApiAnswer> {
  const when = readAsked(question.fields);
  if (!when) {
    const problem = { name: 'at', problem: 'There is no such time.' };
    return { type: 'refused', code: 'wrong-parameter', detail: 'at', more: { parameters: [problem] } };
  }
  const codes = readAnyCode(question.id);
  const found = await findError(codes, question, when);
  if (found) return { type: 'json', body: await writeFound(found, question) };
  const traces: LookedUp | undefined = await findTraces(codes, question);
  if (traces) return { type: 'json', body: traces };
  return notFound('no such digest', { near: await listNear(question) });
}
