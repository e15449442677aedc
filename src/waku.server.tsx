import { experiments } from 'virtual:flight-recorder/experiments';
import { fsRouter } from 'waku';

import { version } from '../package.json';

import { announcementStep, notThroughAppsStep } from '#src/apps/middleware/serve.ts';
import { accessSteps, loginOffStep, openDoor } from '#src/access/serve.ts';
import { apiSteps } from '#src/api/serve.ts';
import { share } from '#src/command/start/share.ts';
import { startSharedWork } from '#src/command/start/shared-work.ts';
import { isDatabaseAway } from '#src/faults/kept/keep.ts';
import { onStoredErrors } from '#src/faults/kept/stored-errors.ts';
import { canKeepErrors, faultEndpoints, startKeepingErrors } from '#src/faults/serve.ts';
import { keepAppMaps } from '#src/faults/source-maps/keep-app-maps.ts';
import { keepOwnMaps } from '#src/faults/source-maps/keep-own-maps.ts';
import { tellErrors } from '#src/flights/recorder/recorder.ts';
import { flightEndpoints, recordingStep, startRecording, usageEndpoint } from '#src/flights/serve.ts';
import { experimentPages } from '#src/lab/list/experiment-pages.tsx';
import { hasAction } from '#src/runtime/actions/known-actions.ts';
import { answerFailure, answerThrown } from '#src/runtime/errors/answer-thrown.ts';
import { captureProcessErrors } from '#src/runtime/errors/capture-process-errors.ts';
import { settleDeliveries } from '#src/runtime/errors/report-error.ts';
import { handleRequests } from '#src/runtime/handle-request.ts';
import { pageActions, pageActionsOfFile } from '#src/runtime/middleware/page-actions.ts';
import { requestContext, requestContextOfFile } from '#src/runtime/middleware/request-context.ts';
import { mountPages } from '#src/runtime/mount-pages.ts';
import adapter from '#src/server/adapter/adapter.ts';
import { startInOrder } from '#src/server/adapter/start-in-order.ts';
import type { Step } from '#src/server/adapter/step.ts';
import { healthPath, mountPath, readyPath } from '#src/server/http/addresses.ts';
import { answersAt } from '#src/server/http/file-rule.ts';
import { createLoad } from '#src/server/http/load.ts';
import { onListening, publicOrigin, serverSettings } from '#src/server/http/server-settings.ts';
import { createShedding } from '#src/server/http/shedding.ts';
import { visitorSecret } from '#src/server/http/visitor.ts';
import { belowMount, belowMountOfFile } from '#src/server/middleware/below-mount.ts';
import { databaseGone, databaseGoneOfFile } from '#src/server/middleware/database-gone.ts';
import { health } from '#src/server/middleware/health.ts';
import { securityHeaders, securityHeadersOfFile } from '#src/server/middleware/security-headers.ts';
import { shed, shedFile } from '#src/server/middleware/shed.ts';
import { openAgeClock } from '#src/store/age-clock.ts';
import { dataFolder } from '#src/store/data-folder.ts';
import type { Presence } from '#src/store/instance-file.ts';
import { openData } from '#src/store/serve.ts';

const pages = import.meta.glob(['./pages/**/*.{ts,tsx}', '!./pages/_components/**']);

const release = import.meta.env.WAKU_BUILD_ID ?? '';

const load = createLoad();
const shedding = createShedding({
  received: [...faultEndpoints, ...flightEndpoints, usageEndpoint],
  level: load.level,
});

function readPresence(): Presence {
  const settings = serverSettings();
  const address = { hostname: settings.hostname, port: settings.port };
  return { address, origin: publicOrigin(settings) + mountPath, door: visitorSecret() };
}

/** Starts all parts. Nothing is answered before; otherwise its errors would be lost. */
async function start(): Promise<() => Promise<void>> {
  // All files written by this process hold what visitors and errors say. No other user of the machine may read them.
  process.umask(0o077);
  const { store, close } = await openData(readPresence);
  const readAge = await openAgeClock(store, dataFolder());
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
  onListening(() => void keepOwnMaps(store, release, process.cwd(), readAge().now));
  if (import.meta.env.PROD) captureProcessErrors(stop);
  return stop;
}

const healthStep: Step = {
  // A word for each reason. The work that is refused first under load is no reason to make a balancer send everybody elsewhere.
  middleware: health({
    checks: {
      load: () => load.level() === 'calm' || load.level() === 'no-reports',
      pages: shedding.hasRoom,
      database: canKeepErrors,
    },
    notes: { 'database-gone': isDatabaseAway },
  }),
  file: answersAt(healthPath, readyPath),
};

export default adapter(handleRequests(fsRouter(mountPages({ ...pages, ...experimentPages(experiments) }))), {
  // Outermost first. What each lets pass, and what it adds, is said in its file.
  pipeline: [
    { middleware: requestContext(), file: requestContextOfFile },
    ...(mountPath === '' ? [] : [{ middleware: belowMount(), file: belowMountOfFile }]),
    loginOffStep,
    recordingStep,
    { middleware: securityHeaders(), file: securityHeadersOfFile },
    announcementStep((id, build) => void keepAppMaps(id, build)),
    // What stands above it is answered under any load.
    { middleware: shed(shedding), file: shedFile(shedding) },
    notThroughAppsStep,
    healthStep,
    // These ask for keys and tokens of their own, or for none, and pass nothing on.
    ...apiSteps,
    ...faultEndpoints,
    ...flightEndpoints,
    // Pages need the database; what is received is kept without it.
    { middleware: databaseGone(isDatabaseAway), file: databaseGoneOfFile(isDatabaseAway) },
    ...accessSteps(shedding),
    // The operator's alone.
    usageEndpoint,
    { middleware: pageActions({ hasAction }), file: pageActionsOfFile },
  ],
  onStart: start,
  answerThrown,
  answerFailure,
});
