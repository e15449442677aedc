import { experiments } from 'virtual:flight-recorder/experiments';

import { version } from '../package.json';

import { announcementStep, notThroughAppsStep } from '#src/apps/middleware/serve.ts';
import { accessSteps, loginOffStep, openDoor } from '#src/access/serve.ts';
import { apiSteps } from '#src/api/serve.ts';
import { share } from '#src/command/start/share.ts';
import { startSharedWork } from '#src/command/start/shared-work.ts';
import { isDatabaseAway } from '#src/faults/kept/keep.ts';
import { onStoredErrors } from '#src/faults/kept/stored-errors.ts';
import { canKeepErrors, faultEndpoints, keepMapsOnceListening, startKeepingErrors } from '#src/faults/serve.ts';
import { keepAppMaps } from '#src/faults/source-maps/keep-app-maps.ts';
import { tellErrors } from '#src/flights/recorder/recorder.ts';
import { flightEndpoints, recordingStep, startRecording, usageEndpoint } from '#src/flights/serve.ts';
import { experimentPages } from '#src/lab/list/experiment-pages.ts';
import { answerFailure, answerThrown } from '#src/runtime/errors/answer-thrown.ts';
import { captureProcessErrors } from '#src/runtime/errors/capture-process-errors.ts';
import { settleDeliveries } from '#src/runtime/errors/report-error.ts';
import { pageActionsStep, requestContextStep, servePages } from '#src/runtime/serve.ts';
import adapter from '#src/server/adapter/adapter.ts';
import { startInOrder } from '#src/server/adapter/start-in-order.ts';
import { createLoad } from '#src/server/http/load.ts';
import { createShedding } from '#src/server/http/shedding.ts';
import {
  databaseGoneStep,
  healthStep,
  mountSteps,
  readPresence,
  securityHeadersStep,
  shedStep,
} from '#src/server/serve.ts';
import { openAges, openData } from '#src/store/serve.ts';

const pages = import.meta.glob(['./pages/**/*.{ts,tsx}', '!./pages/_components/**']);

const release = import.meta.env.WAKU_BUILD_ID ?? '';

const load = createLoad();
const shedding = createShedding({
  received: [...faultEndpoints, ...flightEndpoints, usageEndpoint],
  level: load.level,
});

/** Starts all parts. Nothing is answered before; otherwise its errors would be lost. */
async function start(): Promise<() => Promise<void>> {
  // All files written by this process hold what visitors and errors say. No other user of the machine may read them.
  process.umask(0o077);
  const { store, close } = await openData(readPresence);
  const readAge = await openAges(store);
  // Each needs those above it. They stop from the bottom up.
  const stop = await startInOrder([
    () => close,
    () => share(store, { version, build: release, readOrigin: () => readPresence().origin, readLoad: load.level }),
    () => startKeepingErrors(store, release),
    () => openDoor(store),
    () => startRecording(store, release, readAge),
    // It deletes flights, too, by the recorder's writer.
    () => startSharedWork(store, release, readAge),
    () => onStoredErrors(tellErrors),
    () => load.start(),
    // The error that ends this process may be the last one: it is kept while all else still runs.
    () => settleDeliveries,
  ]);
  keepMapsOnceListening(store, release, readAge);
  if (import.meta.env.PROD) captureProcessErrors(stop);
  return stop;
}

const healthChecks = {
  // The work that is refused first under load is no reason to make a balancer send everybody elsewhere.
  load: () => load.level() === 'calm' || load.level() === 'no-reports',
  pages: shedding.hasRoom,
  database: canKeepErrors,
};

export default adapter(servePages({ ...pages, ...experimentPages(experiments) }), {
  // Outermost first. What each lets pass, and what it adds, is said in its file.
  pipeline: [
    requestContextStep,
    ...mountSteps,
    loginOffStep,
    recordingStep,
    securityHeadersStep,
    announcementStep((id, build) => void keepAppMaps(id, build)),
    // What stands above it is answered under any load.
    shedStep(shedding),
    notThroughAppsStep,
    healthStep({ checks: healthChecks, notes: { 'database-gone': isDatabaseAway } }),
    // These ask for keys and tokens of their own, or for none, and pass nothing on.
    ...apiSteps,
    ...faultEndpoints,
    ...flightEndpoints,
    // Pages need the database; what is received is kept without it.
    databaseGoneStep(isDatabaseAway),
    ...accessSteps(shedding),
    // The operator's alone.
    usageEndpoint,
    pageActionsStep,
  ],
  onStart: start,
  answerThrown,
  answerFailure,
});
