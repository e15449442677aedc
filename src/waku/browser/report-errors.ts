import { readRefusal } from '#src/runtime/actions/action-errors.ts';
import { takeIdentity } from '#src/runtime/errors/browser-digest.ts';
import { describeSender } from '#src/runtime/reporting/browser-trace.ts';
import { tunnelPath } from '#src/server/http/addresses.ts';
import { readDigest } from '#report/digest.ts';
import type { ErrorRules } from '#report/browser/report-errors.ts';
import { isReported, reportPage } from '#report/browser/report-page.ts';

/**
 * Reports of another app's browser errors. Without the SDK that our own pages load: the app may have one of its own, and two of
 * one version share their state in the page, so the second would take the first one's reports.
 */
const rules: ErrorRules = {
  /**
   * A refused action is told to whoever called it. What the server could not finish, and React begins anew here, the server has
   * recorded.
   */
  isExpected: (error, mechanism) =>
    readRefusal(error) !== undefined || (mechanism === 'recoverable' && readDigest(error) !== undefined),
  identify: takeIdentity,
};

/** The page's runtime tells what became of prefetches. What is loaded later tells Web Vitals (late-parts.tsx). */
export function startReports(): void {
  if (isReported()) return;
  const page = { sender: describeSender(), address: tunnelPath, remembers: true, rules };
  reportPage(page, () => import('#report/browser/second-part.ts'));
}
