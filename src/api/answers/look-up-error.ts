import 'server-only';

import { showDigest } from '#src/components/show-digest.ts';
import { digestPath, readApiAddress } from '#src/http/addresses.ts';
import { findFlightsByDigest } from '#src/recorder/for-operator/queries.ts';
import { findById } from '#src/reports/faults/find-by-id.ts';
import { findShownOccurrence } from '#src/reports/faults/kept-occurrences.ts';
import type { DigestHolder } from '#src/reports/digest-holder.ts';
import { findDigest, findNearDigests } from '#src/reports/find-digest.ts';
import { findIncident, findIncidentById, findIncidentOfReport } from '#src/reports/find-incident.ts';
import type { Incident } from '#src/reports/incident.ts';
import { readCodes } from '#src/reports/read-code.ts';
import { findUnkept } from '#src/reports/unkept-digests.ts';
import { ownApp } from '#src/store/own-app.ts';

import { type ApiAnswer, type ApiQuestion, notFound } from '../answer.ts';
import { mayReadApp } from '../scope.ts';
import type { LookedUp, NearDigestAnswer } from '../schemas/errors.ts';
import { toTime } from '../schemas/values.ts';
import { writeFlight } from './write-flight.ts';
import { writeIncident } from './write-incident.ts';

/** What a code, an event's id or a fault's id leads to, as the search box of the interface finds it. */

type Found = { readonly incident: Incident; readonly others: readonly DigestHolder[] };

async function findOccurrence(fault: string): Promise<Incident | undefined> {
  const shown = (await findShownOccurrence(fault))?.shown;
  if (!shown) return undefined;
  return shown.side === 'server' ? findIncidentById(shown.key) : findIncidentOfReport(shown.key);
}

async function findNamed(typed: string): Promise<Incident | undefined> {
  const found = await findById(typed);
  switch (found?.type) {
    case undefined:
    case 'trace':
      return undefined;
    case 'fault':
      return findOccurrence(found.fault);
    case 'error':
      return findIncidentById(found.key);
    case 'report':
      return findIncidentOfReport(found.key);
  }
}

async function findError(codes: readonly string[], { id, access, fields }: ApiQuestion): Promise<Found | undefined> {
  const holders = (await findDigest(codes)).filter(({ app }) => mayReadApp(access, app));
  const asked = fields.get('app');
  const holder = asked === null ? holders[0] : holders.find(({ app }) => app === asked);
  if (holder) {
    const incident = await findIncident(holder.digest, holder.app);
    return incident && { incident, others: holders.filter((other) => other !== holder) };
  }
  const incident = await findNamed(id);
  const isMeant = incident && mayReadApp(access, incident.app) && (asked === null || incident.app === asked);
  return isMeant ? { incident, others: [] } : undefined;
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

/** The whole incident behind a code; near digests where there is none. */
export async function lookUpError(question: ApiQuestion): Promise<ApiAnswer> {
  const codes = readCodes(question.id);
  const found = await findError(codes, question);
  if (found) {
    const { incident, others } = found;
    const body: LookedUp = {
      type: 'error',
      code: question.id,
      otherApps: others.map(({ app, digest, lastTime, isTold }) => {
        return { app, digest, lastTime: toTime(lastTime), told: isTold ? ('server' as const) : ('browser' as const) };
      }),
      incident: await writeIncident(incident, question.origin),
    };
    return { type: 'json', body };
  }
  const traces: LookedUp | undefined = await findTraces(codes, question);
  if (traces) return { type: 'json', body: traces };
  return notFound('no such digest', { near: await listNear(question) });
}
