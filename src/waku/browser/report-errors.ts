import { readRefusal } from '#src/runtime/actions/action-errors.ts';
import { readControl } from '#src/runtime/control-errors.ts';
import { takeIdentity } from '#src/runtime/errors/browser-digest.ts';
import { copyBreadcrumbs, describeAddress, recordBreadcrumbs } from '#src/runtime/reporting/browser-breadcrumbs.ts';
import { deliver, startDelivery } from '#src/runtime/reporting/deliver-reports.ts';
import { keepReports } from '#src/runtime/reporting/kept-reports.ts';
import { writeEnvelope } from '#src/runtime/reporting/write-envelope.ts';

import type { EarlyError } from './early-errors.ts';

/**
 * Reports of another app's browser errors. Without the SDK that our own pages load: the app may have one of its own, and two of
 * one version share their state in the page, so the second would take the first one's reports.
 */
export function startReports(): void {
  recordBreadcrumbs();
  keepReports(() => undefined);
  startDelivery();
}

/** React and module loaders reject with the event of an element that could not load something: that names itself nowhere. */
function describeEvent(thrown: unknown): unknown {
  const target = thrown instanceof Event && thrown.target;
  if (!(target instanceof Element)) return thrown;
  const address = target.getAttribute('src') ?? target.getAttribute('href') ?? '';
  return `<${target.localName}> could not load ${address && describeAddress(address)}`;
}

/** Waku's redirects and not-founds are not errors, nor is a refused action. */
export function sendReport(early: EarlyError): void {
  const { error } = early;
  if (readControl(error) || readRefusal(error)) return;
  try {
    deliver(
      writeEnvelope({
        ...early,
        error: describeEvent(error),
        identity: takeIdentity(error),
        url: location.origin + describeAddress(location.href),
        breadcrumbs: copyBreadcrumbs(),
      }),
    );
  } catch {
    // The thrown value cannot be made into text.
  }
}
