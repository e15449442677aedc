import 'server-only';

import { readSetting } from '#src/server/environment/read-setting.ts';
import { receiveAt, type Endpoint } from '#src/server/adapter/step.ts';
import { startInOrder } from '#src/server/adapter/start-in-order.ts';
import { cspReportPath, feedbackPath, tunnelPath } from '#src/server/http/addresses.ts';
import { onListening } from '#src/server/http/server-settings.ts';
import { addErrorSink } from '#src/runtime/errors/report-error.ts';
import { localDsn } from '#src/runtime/reporting/local-dsn.ts';
import type { AgeClock } from '#src/store/age-clock.ts';
import { openStore, type Store } from '#src/store/open-store.ts';

import { isDatabaseAway, keepsMeanwhile, startSpool } from './kept/keep.ts';
import { errorStore } from './kept/record-error.ts';
import { appErrors, isAppErrorsPath } from './middleware/app-errors.ts';
import { cspReport } from './middleware/csp-report.ts';
import { feedback } from './middleware/feedback.ts';
import { isSdkPath, sdkReports } from './middleware/sdk-reports.ts';
import { isUploadPath, sourceMaps } from './middleware/source-maps.ts';
import { tunnel } from './middleware/tunnel.ts';
import { forwardEnvelope } from './receive/forward-envelope.ts';
import { watchOwnKeys } from './scrubbing/own-keys.ts';
import { keepOwnMaps } from './source-maps/keep-own-maps.ts';

/** Errors, as a part of the server: where they are received, and what keeps them. */

/** Open to strangers and to apps with their keys. Each has limits of its own, in its file. */
export const faultEndpoints: readonly Endpoint[] = [
  receiveAt(tunnelPath, 'report', tunnel(tunnelPath)),
  receiveAt(cspReportPath, 'report', cspReport(cspReportPath)),
  receiveAt(feedbackPath, 'report', feedback(feedbackPath)),
  receiveAt(isAppErrorsPath, 'keyed', appErrors()),
  receiveAt(isSdkPath, 'sdk', sdkReports()),
  receiveAt(isUploadPath, 'keyed', sourceMaps()),
];

/** The SDK is loaded only when there is an address to send to: it costs memory and time at start. */
async function startForwarding(release: string): Promise<() => Promise<void>> {
  if (!readSetting('SENTRY_DSN')) return async () => undefined;
  const { startServerReporting } = await import('#src/runtime/reporting/start-server-reporting.ts');
  return startServerReporting({ dsn: localDsn, release, forward: forwardEnvelope });
}

/** Keeps from now on what goes wrong here. It starts before the recorder, so that the recorder's errors are kept, too. */
export function startKeepingErrors(store: Store, release: string): Promise<() => Promise<void>> {
  return startInOrder([
    () => watchOwnKeys(store),
    () => startSpool(store),
    () => addErrorSink(errorStore),
    () => startForwarding(release),
  ]);
}

/**
 * Whether errors are kept now: in the database, or beside it until PostgreSQL is back. A balancer that took every server out meanwhile
 * would serve no page.
 */
export async function canKeepErrors(): Promise<boolean> {
  if (isDatabaseAway()) return keepsMeanwhile();
  const store = await openStore();
  return (await store.checkWritable()).status === 'writable';
}

/** The source maps of this server's own build. Nobody waits for them. */
export function keepMapsOnceListening(store: Store, release: string, readAge: AgeClock): void {
  onListening(() => void keepOwnMaps(store, release, process.cwd(), readAge().now));
}
