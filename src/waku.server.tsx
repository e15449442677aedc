import { experiments } from 'virtual:flight-recorder/experiments';
import { fsRouter } from 'waku';

import { version } from '../package.json';

import {
  appAnnouncementPath,
  cspReportPath,
  feedbackPath,
  healthPath,
  logoutPath,
  metricsPath,
  mountPath,
  readyPath,
  tunnelPath,
  usagePath,
} from '#src/http/addresses.ts';
import { readSetting } from '#src/environment/read-setting.ts';
import adapter from '#src/host/adapter.ts';
import { readRecordAll } from '#src/apps/record-all.ts';
import { answersAt } from '#src/http/file-rule.ts';
import { createLoad } from '#src/http/load.ts';
import { writeLog } from '#src/http/log.ts';
import { onListening, publicOrigin, serverSettings } from '#src/http/server-settings.ts';
import { createShedding } from '#src/http/shedding.ts';
import { share } from '#src/start/share.ts';
import { startSharedWork } from '#src/start/shared-work.ts';
import { doorSecret } from '#src/http/visitor.ts';
import { experimentPages } from '#src/lab/list/experiment-pages.tsx';
import { access, accessOfFile } from '#src/middleware/access.ts';
import { appAnnouncement } from '#src/middleware/app-announcement.ts';
import { appErrors, appErrorsOfFile, isAppErrorsPath } from '#src/middleware/app-errors.ts';
import { belowMount, belowMountOfFile } from '#src/middleware/below-mount.ts';
import { cspReport } from '#src/middleware/csp-report.ts';
import { databaseGone, databaseGoneOfFile } from '#src/middleware/database-gone.ts';
import { feedback } from '#src/middleware/feedback.ts';
import { flightUsage } from '#src/middleware/flight-usage.ts';
import { health } from '#src/middleware/health.ts';
import { loginOffNotice, loginOffNoticeOfFile } from '#src/middleware/login-off-notice.ts';
import { answerWorkers } from '#src/metrics/other-workers.ts';
import type { Metrics } from '#src/metrics/registry.ts';
import { login } from '#src/middleware/login.ts';
import { metrics } from '#src/middleware/metrics.ts';
import { pageActions, pageActionsOfFile } from '#src/middleware/page-actions.ts';
import { findFlightsApp, receiveFlights, receiveFlightsOfFile } from '#src/middleware/receive-flights.ts';
import { readApi, readApiOfFile } from '#src/middleware/read-api.ts';
import { recordFlights, recordFlightsOfFile } from '#src/middleware/record-flights.ts';
import { requestContext, requestContextOfFile } from '#src/middleware/request-context.ts';
import { isSdkPath, sdkReports, sdkReportsOfFile } from '#src/middleware/sdk-reports.ts';
import { securityHeaders, securityHeadersOfFile } from '#src/middleware/security-headers.ts';
import { notThroughApps, notThroughAppsOfFile } from '#src/middleware/not-through-apps.ts';
import { shed, shedFile } from '#src/middleware/shed.ts';
import { isUploadPath, sourceMaps, sourceMapsOfFile } from '#src/middleware/source-maps.ts';
import { tunnel } from '#src/middleware/tunnel.ts';
import { announceLogin, requireWayIn } from '#src/operator/start-login.ts';
import { startRecorder, tellErrors } from '#src/recorder/recorder.ts';
import { forwardEnvelope } from '#src/reports/forward-envelope.ts';
import { errorStore } from '#src/reports/record-error.ts';
import { onStoredErrors } from '#src/reports/stored-errors.ts';
import { isDatabaseAway, keepsMeanwhile, startSpool } from '#src/reports/kept/keep.ts';
import { watchOwnKeys } from '#src/reports/scrubbing/own-keys.ts';
import { keepOwnMaps } from '#src/reports/source-maps/keep-own-maps.ts';
import { hasAction } from '#src/runtime/actions/known-actions.ts';
import { captureProcessErrors } from '#src/runtime/errors/capture-process-errors.ts';
import { addErrorSink, settleDeliveries } from '#src/runtime/errors/report-error.ts';
import { handleRequests } from '#src/runtime/handle-request.ts';
import { mountPages } from '#src/runtime/mount-pages.ts';
import { addFlightSink } from '#src/runtime/renderer/flight-observer.ts';
import { localDsn } from '#src/runtime/reporting/local-dsn.ts';
import { dataFolder } from '#src/store/data-folder.ts';
import { takeInstance } from '#src/store/instance.ts';
import type { Presence } from '#src/store/instance-file.ts';
import { openAgeClock } from '#src/store/age-clock.ts';
import { ownApp } from '#src/store/own-app.ts';
import { isFirstWorker } from '#src/workers/this-worker.ts';
import { openStore } from '#src/store/open-store.ts';
import { openWhenThere } from '#src/store/open-when-there.ts';

const pages = import.meta.glob(['./pages/**/*.{ts,tsx}', '!./pages/**/*.test.{ts,tsx}']);

const release = import.meta.env.WAKU_BUILD_ID ?? '';

const load = createLoad();
const reports = [tunnelPath, cspReportPath, feedbackPath, usagePath];
const shedding = createShedding({
  reports,
  isReport: (path) => isAppErrorsPath(path) || findFlightsApp(path) !== undefined || isUploadPath(path),
  isSdk: isSdkPath,
  level: load.level,
});

/** The SDK is loaded only when there is an address to send to: it costs memory and time at start. */
async function startForwarding(): Promise<() => Promise<void>> {
  if (!readSetting('SENTRY_DSN')) return async () => undefined;
  const { startServerReporting } = await import('#src/runtime/reporting/start-server-reporting.ts');
  return startServerReporting({ dsn: localDsn, release, forward: forwardEnvelope });
}

let counted: Promise<Metrics> | undefined;

/** prom-client is loaded by the first who asks. */
function loadMetrics(): Promise<Metrics> {
  counted ??= import('#src/metrics/registry.ts').then(({ createMetrics }) => createMetrics());
  return counted;
}

function readPresence(): Presence {
  const settings = serverSettings();
  const address = { hostname: settings.hostname, port: settings.port };
  return { address, origin: publicOrigin(settings) + mountPath, door: doorSecret() };
}

/** While PostgreSQL is away: whether errors are kept until it is back. A balancer that took every server out would serve no page. */
async function canWrite(): Promise<boolean> {
  if (isDatabaseAway()) return keepsMeanwhile();
  const store = await openStore();
  return (await store.checkWritable()).status === 'writable';
}

/** Opens the store and begins to record. Nothing is answered before that; otherwise its errors would be lost. */
async function start(): Promise<() => Promise<void>> {
  // All files written by this process hold what visitors and errors say. No other user of the machine may read them.
  process.umask(0o077);
  const instance = takeInstance(dataFolder(), readPresence());
  onListening(() => instance.announce(readPresence()));
  const store = await (readSetting('DATABASE_URL') ? openWhenThere() : openStore());
  const stopSharing = await share(store, {
    version,
    build: release,
    readOrigin: () => readPresence().origin,
    readLoad: load.level,
  });
  store.onDamage((reason) => writeLog('error', 'database-damaged', { reason }));
  await requireWayIn(store);
  if (isFirstWorker()) onListening(() => void announceLogin(store));
  const stopKeys = await watchOwnKeys(store);
  const stopSpool = startSpool(store);
  const removeSink = addErrorSink(errorStore);
  const stopForwarding = await startForwarding();
  const readAge = await openAgeClock(store, dataFolder());
  const stopRecorder = await startRecorder({
    addSink: addFlightSink,
    build: release,
    hasRoom: store.admitsFiles,
    readAge,
    allUntil: await readRecordAll(ownApp, store),
  });
  // The recorder's writer must be there: this deletes flights too.
  const stopSharedWork = startSharedWork(store, release, readAge);
  const stopTelling = onStoredErrors(tellErrors);
  const stopAnswering = answerWorkers(async () => (await loadMetrics()).count());
  if (isFirstWorker()) onListening(() => void keepOwnMaps(store, release, process.cwd(), readAge().now));
  const stopLoad = load.start();
  async function stop(): Promise<void> {
    stopLoad();
    // The error that ends this process may be the last one.
    await settleDeliveries();
    removeSink();
    await stopForwarding();
    stopKeys();
    await stopSharedWork();
    stopTelling();
    stopAnswering();
    await stopRecorder();
    await stopSharing();
    await stopSpool();
    await store.close();
    instance.release();
  }
  if (import.meta.env.PROD) captureProcessErrors(stop);
  return stop;
}

export default adapter(handleRequests(fsRouter(mountPages({ ...pages, ...experimentPages(experiments) }))), {
  // Outermost first: each middleware with what it does for a file that is sent without it.
  pipeline: [
    { middleware: requestContext(), file: requestContextOfFile },
    ...(mountPath === '' ? [] : [{ middleware: belowMount(), file: belowMountOfFile }]),
    { middleware: loginOffNotice(), file: loginOffNoticeOfFile },
    { middleware: recordFlights(), file: recordFlightsOfFile },
    { middleware: securityHeaders(), file: securityHeadersOfFile },
    { middleware: appAnnouncement(), file: answersAt(appAnnouncementPath) },
    { middleware: shed(shedding), file: shedFile(shedding) },
    { middleware: notThroughApps(), file: notThroughAppsOfFile },
    {
      // A word for each reason. The work that is refused first under load is no reason to make a balancer send everybody
      // elsewhere.
      middleware: health({
        checks: {
          load: () => load.level() === 'calm' || load.level() === 'no-reports',
          pages: shedding.hasRoom,
          database: canWrite,
        },
        notes: { 'database-gone': isDatabaseAway },
      }),
      file: answersAt(healthPath, readyPath),
    },
    { middleware: metrics(async () => (await loadMetrics()).serve), file: answersAt(metricsPath) },
    { middleware: tunnel(tunnelPath), file: answersAt(tunnelPath) },
    { middleware: cspReport(cspReportPath), file: answersAt(cspReportPath) },
    { middleware: feedback(feedbackPath), file: answersAt(feedbackPath) },
    { middleware: readApi(), file: readApiOfFile },
    { middleware: appErrors(), file: appErrorsOfFile },
    { middleware: sdkReports(), file: sdkReportsOfFile },
    { middleware: receiveFlights(), file: receiveFlightsOfFile },
    { middleware: sourceMaps(), file: sourceMapsOfFile },
    { middleware: databaseGone(isDatabaseAway), file: databaseGoneOfFile(isDatabaseAway) },
    { middleware: login(shedding), file: answersAt(logoutPath) },
    { middleware: access(), file: accessOfFile },
    { middleware: flightUsage(usagePath), file: answersAt(usagePath) },
    { middleware: pageActions({ hasAction }), file: pageActionsOfFile },
  ],
  onStart: start,
});
