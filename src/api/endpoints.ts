import 'server-only';

import * as v from 'valibot';

import { version } from '../../package.json' with { type: 'json' };

import { homePath, readApiAddress } from '#src/server/http/addresses.ts';

import type { ApiAnswer, ApiQuestion, Endpoint } from './answer.ts';
import { listApps } from './answers/list-apps.ts';
import { listFaults } from './answers/list-faults.ts';
import { listFlights } from './answers/list-flights.ts';
import { listLeaks } from './answers/list-leaks.ts';
import { listRoutes } from './answers/list-routes.ts';
import { listStorms } from './answers/list-storms.ts';
import { listTries } from './answers/list-tries.ts';
import { lookUpError } from './answers/look-up-error.ts';
import { readFault } from './answers/read-fault.ts';
import { readFlight, readFlightPayload } from './answers/read-flight.ts';
import {
  appParameter,
  choosingParameters,
  faultParameters,
  flightParameters,
  routeParameters,
} from './list-parameters.ts';
import { apps, root, type Root } from './schemas/apps.ts';
import { lookedUp, nearDigest } from './schemas/errors.ts';
import { faultDetails, faultList } from './schemas/faults.ts';
import { flightDetails, flightList } from './schemas/flights.ts';
import { leaks } from './schemas/leaks.ts';
import { routes } from './schemas/routes.ts';
import { storms } from './schemas/storms.ts';
import { tries } from './schemas/tries.ts';

function describeRoot({ access, origin }: ApiQuestion): ApiAnswer {
  const body: Root = {
    name: 'Flight Recorder',
    version,
    access: { isReadOnly: true, apps: access.kind === 'reader' && access.apps ? [...access.apps] : null },
    links: {
      apps: readApiAddress('apps'),
      faults: readApiAddress('faults'),
      errors: `${readApiAddress('errors')}/{digest}`,
      flights: readApiAddress('flights'),
      openapi: readApiAddress('openapi.json'),
      page: origin + homePath,
    },
  };
  return { type: 'json', body };
}

/** Loaded when it is asked for: it is not part of what a start needs. */
async function describeApi(): Promise<ApiAnswer> {
  const { openApiJson } = await import('./openapi.ts');
  return { type: 'document', json: openApiJson() };
}

/** All of the API. The server, the commands, the document and the tests go by this list. */
export const endpoints: readonly Endpoint[] = [
  {
    path: '',
    operation: 'readRoot',
    summary: 'The version, what the token may read, and where everything is',
    parameters: [],
    answers: { name: 'Root', schema: root },
    answer: describeRoot,
  },
  {
    path: 'openapi.json',
    operation: 'readDescription',
    summary: 'This document',
    parameters: [],
    isOpen: true,
    answers: 'document',
    answer: describeApi,
  },
  {
    path: 'apps',
    operation: 'listApps',
    summary: 'The apps that are recorded',
    parameters: [],
    answers: { name: 'Apps', schema: apps },
    answer: listApps,
  },
  {
    path: 'faults',
    operation: 'listFaults',
    summary: 'Faults: filtered, sorted, searched',
    parameters: faultParameters,
    answers: { name: 'FaultList', schema: faultList },
    answer: listFaults,
  },
  {
    path: 'faults/{id}',
    operation: 'readFault',
    summary: 'One fault: why it is one, its spread, its latest errors',
    id: 'The id of a fault. That of a merged one gives the fault that it was merged into.',
    parameters: [],
    answers: { name: 'FaultDetails', schema: faultDetails },
    answer: readFault,
  },
  {
    path: 'errors/{digest}',
    operation: 'lookUpError',
    summary: 'The error behind a digest',
    id: 'A digest in any spelling that the look-up of the interface takes, an event’s id, or a fault’s.',
    parameters: [appParameter, ...choosingParameters],
    answers: { name: 'LookedUp', schema: lookedUp },
    notFound: { near: v.array(nearDigest) },
    answer: lookUpError,
  },
  {
    path: 'flights',
    operation: 'listFlights',
    summary: 'Recorded flights that are kept, those that ended last first',
    parameters: flightParameters,
    answers: { name: 'FlightList', schema: flightList },
    answer: listFlights,
  },
  {
    path: 'flights/{id}',
    operation: 'readFlight',
    summary: 'One flight: its head, its sizes, when its chunks were written, findings',
    id: 'The id of a flight.',
    parameters: [],
    answers: { name: 'FlightDetails', schema: flightDetails },
    answer: readFlight,
  },
  {
    path: 'flights/{id}/payload',
    operation: 'readFlightPayload',
    summary: 'The Flight rows as they are kept',
    id: 'The id of a flight.',
    parameters: [],
    answers: 'bytes',
    answer: readFlightPayload,
  },
  {
    path: 'routes',
    operation: 'listRoutes',
    summary:
      'Routes: what each sent, of the newest 10,000 flights that are kept, and how fast browsers found its pages',
    parameters: routeParameters,
    answers: { name: 'RouteList', schema: routes },
    answer: listRoutes,
  },
  {
    path: 'leaks',
    operation: 'listLeaks',
    summary:
      'Secrets in payloads by their places, and answers that caches may give to the wrong visitors, the newest first',
    parameters: [appParameter],
    answers: { name: 'LeakList', schema: leaks },
    answer: listLeaks,
  },
  {
    path: 'storms',
    operation: 'listStorms',
    summary: 'Tabs that ask for the same again and again, with what a month of it would cost, the newest first',
    parameters: [appParameter],
    answers: { name: 'StormList', schema: storms },
    answer: listStorms,
  },
  {
    path: 'tries',
    operation: 'listTries',
    summary: 'Requests that no client of React could have sent, the newest first',
    parameters: [appParameter],
    answers: { name: 'TryList', schema: tries },
    answer: listTries,
  },
];
