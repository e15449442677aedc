import { fsRouter } from 'waku';

import adapter from '#src/host/adapter.ts';
import { access } from '#src/middleware/access.ts';
import { createFileAdmission } from '#src/middleware/admit-file.ts';
import { cspReport } from '#src/middleware/csp-report.ts';
import { flightUsage } from '#src/middleware/flight-usage.ts';
import { health } from '#src/middleware/health.ts';
import { createLoad } from '#src/http/load.ts';
import { loginOffNotice } from '#src/middleware/login-off-notice.ts';
import { login } from '#src/middleware/login.ts';
import { pageActions } from '#src/middleware/page-actions.ts';
import { recordFlights } from '#src/middleware/record-flights.ts';
import { requestContext } from '#src/middleware/request-context.ts';
import { securityHeaders } from '#src/middleware/security-headers.ts';
import { createShedding, shed } from '#src/middleware/shed.ts';
import { tunnel } from '#src/middleware/tunnel.ts';
import { announceLogin, requireWayIn } from '#src/operator/start-login.ts';
import { startRecorder } from '#src/recorder/recorder.ts';
import { completeErrors } from '#src/reports/complete-errors.ts';
import { forwardEnvelope } from '#src/reports/forward-envelope.ts';
import { readConfiguredDsn } from '#src/reports/parse-dsn.ts';
import { errorStore } from '#src/reports/record-error.ts';
import { startRetention } from '#src/reports/retention.ts';
import { hasAction } from '#src/runtime/actions/known-actions.ts';
import { withFormActions } from '#src/runtime/actions/with-form-actions.ts';
import { withPageMethods } from '#src/runtime/actions/with-page-methods.ts';
import { captureProcessErrors } from '#src/runtime/errors/capture-process-errors.ts';
import { addErrorSink, settleDeliveries } from '#src/runtime/errors/report-error.ts';
import { writeLog } from '#src/http/log.ts';
import { addFlightSink } from '#src/runtime/renderer/flight-observer.ts';
import { withErrorResponses } from '#src/runtime/errors/with-error-responses.ts';
import { localDsn, tunnelPath } from '#src/runtime/reporting/local-dsn.ts';
import { usagePath } from '#src/runtime/reporting/usage-protocol.ts';
import { onListening, publicOrigin, serverSettings } from '#src/http/server-settings.ts';
import { dataFolder } from '#src/store/data-folder.ts';
import { type Presence, takeInstance } from '#src/store/instance.ts';
import { reportPath } from '#src/http/security-headers.ts';
import { openAgeClock } from '#src/store/age-clock.ts';
import { openStore, type Store } from '#src/store/open-store.ts';

const pages = import.meta.glob(['./pages/**/*.{ts,tsx}', '!./pages/**/*.test.{ts,tsx}']);

const release = import.meta.env.WAKU_BUILD_ID ?? '';

const load = createLoad();
const shedding = createShedding({ reports: [tunnelPath, reportPath, usagePath], level: load.level });

/** The SDK is loaded where there is somebody to send to: it costs memory and time at the start. */
async function startForwarding(): Promise<() => Promise<void>> {
  if (!readConfiguredDsn()) return async () => undefined;
  const { startServerReporting } = await import('#src/runtime/reporting/start-server-reporting.ts');
  return startServerReporting({ dsn: localDsn, release, forward: forwardEnvelope });
}

/** What a crash left half done. The server answers meanwhile. */
async function completeLeftErrors(store: Store): Promise<void> {
  try {
    const completed = await completeErrors(store, release);
    if (completed > 0) writeLog('info', 'errors-completed', { completed });
  } catch (error) {
    writeLog('error', 'errors-not-completed', { reason: error instanceof Error ? error.message : String(error) });
  }
}

function readPresence(): Presence {
  const settings = serverSettings();
  return { address: { hostname: settings.hostname, port: settings.port }, origin: publicOrigin(settings) };
}

async function canWrite(): Promise<boolean> {
  const store = await openStore();
  return (await store.checkWritable()).status === 'writable';
}

/** Opens the store and begins to record; nothing is answered before that, or its errors would be lost. */
async function start(): Promise<() => Promise<void>> {
  // Whatever writes files here, they hold what visitors and errors say: nobody else on the machine gets to read them.
  process.umask(0o077);
  const instance = takeInstance(dataFolder(), readPresence());
  onListening(() => instance.announce(readPresence()));
  const store = await openStore();
  store.onDamage((reason) => writeLog('error', 'database-damaged', { reason }));
  await requireWayIn(store);
  onListening(() => void announceLogin(store));
  const removeSink = addErrorSink(errorStore);
  const stopForwarding = await startForwarding();
  onListening(() => void completeLeftErrors(store));
  const readAge = await openAgeClock(store, dataFolder());
  const stopRetention = startRetention(store, readAge);
  const stopRecorder = await startRecorder({
    addSink: addFlightSink,
    build: release,
    hasRoom: store.admitsFiles,
    readAge,
  });
  const stopLoad = load.start();
  async function stop(): Promise<void> {
    stopLoad();
    // The error that ends this process may be the last one.
    await settleDeliveries();
    removeSink();
    await stopForwarding();
    stopRetention();
    await stopRecorder();
    await store.close();
    instance.release();
  }
  if (import.meta.env.PROD) captureProcessErrors(stop);
  return stop;
}

export default adapter(withErrorResponses(withPageMethods(withFormActions(fsRouter(pages)))), {
  middleware: [
    requestContext(),
    loginOffNotice(),
    recordFlights(),
    securityHeaders(),
    shed(shedding),
    // A word for each reason; what is shed first is no reason to send everybody elsewhere.
    health({
      checks: {
        load: () => load.level() === 'calm' || load.level() === 'no-reports',
        pages: shedding.hasRoom,
        database: canWrite,
      },
    }),
    tunnel(tunnelPath),
    cspReport(reportPath),
    login(shedding),
    access(),
    flightUsage(usagePath),
    pageActions({ hasAction }),
  ],
  admitFile: createFileAdmission(shedding),
  onStart: start,
});
