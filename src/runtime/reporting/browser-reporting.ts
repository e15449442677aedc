import { readRefusal } from '../actions/action-errors.ts';
import { readControl } from '../control-errors.ts';
import { takeIdentity } from '../errors/browser-digest.ts';
import { copyBreadcrumbs, describeAddress, recordBreadcrumbs } from '#report/browser/breadcrumbs.ts';
import type { BrowserError } from '#report/browser/browser-error.ts';
import { keepReport, keepReports, keptReports, reportsKept } from '#report/browser/kept-reports.ts';
import { writeEnvelope } from '#report/browser/write-envelope.ts';
import { tunnelPath } from '#src/server/http/addresses.ts';
import { importPart } from '#viewer/import-part.ts';
import type { Sdk } from './browser-sdk.ts';
import { describeSender } from './browser-trace.ts';

/**
 * Reporting in the browser until the SDK is loaded, and the way to the SDK afterwards. The SDK is a third of the size
 * of everything else together, and most visits need none of it. So it is loaded when there is something to report, or
 * when the visitor begins to do something that could break. An error before that waits for the SDK, or is reported
 * without it when the document may end first.
 */
/** Offline nothing could be sent either, and the files of an old build do not come back. */
const sdkRetryMs = 5_000;
const waiting: BrowserError[] = [];
let sdk: Sdk | undefined;
let loading: Promise<void> | undefined;

async function loadSdk(): Promise<void> {
  const { startBrowserSdk } = await importPart(() => import('./browser-sdk.ts'));
  sdk = startBrowserSdk();
  for (const error of waiting.splice(0)) sdk.capture(error);
}

function ensureSdk(): void {
  loading ??= loadSdk().catch(() => {
    setTimeout(() => {
      loading = undefined;
      if (waiting.length + keptReports.length > 0) ensureSdk();
    }, sdkRetryMs);
  });
}

function reportWithoutSdk(): void {
  for (const report of waiting.splice(0)) {
    try {
      keepReport(writeEnvelope(report, describeSender()));
    } catch {
      // The thrown value cannot be made into text. The other errors are still reported.
    }
  }
}

/** Reports `error`, now or when the SDK is loaded. Waku's redirects and not-founds are not errors, nor is a refused action. */
function reportBrowserError(
  error: unknown,
  mechanism: BrowserError['mechanism'],
  componentStack?: string | null,
): void {
  if (readControl(error) || readRefusal(error) || waiting.some((report) => report.error === error)) return;
  const report: BrowserError = {
    error,
    identity: takeIdentity(error),
    mechanism,
    time: Date.now(),
    componentStack: componentStack ?? undefined,
    url: location.origin + describeAddress(location.href),
    breadcrumbs: copyBreadcrumbs(),
  };
  if (sdk) return sdk.capture(report);
  if (waiting.length < reportsKept) waiting.push(report);
  ensureSdk();
}

/**
 * React's callbacks for a root. Each still writes to the console, because the error page tells the visitor to look
 * there. It writes after the report, so that this line is not among the report's own breadcrumbs.
 */
export const rootErrorCallbacks = {
  onCaughtError(error: unknown, info: { componentStack?: string | undefined }) {
    reportBrowserError(error, 'caught', info.componentStack);
    if (!readControl(error)) console.error(error);
  },
  onUncaughtError(error: unknown, info: { componentStack?: string | undefined }) {
    reportBrowserError(error, 'uncaught', info.componentStack);
    console.error(error);
  },
  onRecoverableError(error: unknown, info: { componentStack?: string | undefined }) {
    reportBrowserError(error, 'recoverable', info.componentStack);
    console.error(error);
  },
};

/**
 * Begins to record, and listens for errors that React does not see. Called before hydration, so that errors in
 * hydration are not lost.
 */
export function startReporting(): void {
  recordBreadcrumbs(tunnelPath);
  keepReports(tunnelPath, true, reportWithoutSdk);
  addEventListener('error', (event) => reportBrowserError(event.error ?? event.message, 'window'));
  addEventListener('unhandledrejection', (event) => reportBrowserError(event.reason, 'promise'));
  if (keptReports.length > 0) ensureSdk();
  for (const type of ['pointerdown', 'keydown', 'submit']) {
    addEventListener(type, ensureSdk, { once: true, capture: true, passive: true });
  }
}
