import { readDigestText, toSentDigest } from '../sender/control-flow.ts';
import { createAskedPage } from './asked-page.ts';
import { recordBreadcrumbs } from './breadcrumbs.ts';
import type { Sender } from './browser-error.ts';
import { startDelivery } from './deliver-reports.ts';
import { holdPage } from './hold-page.ts';
import { watchHydration } from './hydration-watch.ts';
import { keepReports } from './kept-reports.ts';
import { createErrorReporter, type ErrorRules } from './report-errors.ts';
import type { LoadSecondPart } from './second-part.ts';
import { watchPage } from './watch-page.ts';

/** Of an app without such a runtime: only a server's error has a digest. */
const anyApp: ErrorRules = {
  isExpected: () => false,
  identify(error) {
    const digest = toSentDigest(readDigestText(error));
    return { side: digest === undefined ? 'browser' : 'server', digest };
  },
};

export type ReportedPage = {
  readonly sender: Sender;
  /** Where errors are posted. */
  readonly address: string;
  /** Where it is told what became of the page's answers. Without it nobody is told. */
  readonly toldAddress?: string | undefined;
  /** Whether what could not be sent may wait in the tab's session storage. */
  readonly remembers: boolean;
  readonly rules?: ErrorRules | undefined;
};

/** The module may be in the page twice: in the app, and from a proxy. */
export function isReported(): boolean {
  return globalThis.__flightErrors !== undefined && !Array.isArray(globalThis.__flightErrors);
}

/** Begins to report what goes wrong in this page. */
export function reportPage(page: ReportedPage, loadSecondPart: LoadSecondPart): void {
  const { sender, address, toldAddress, remembers, rules = anyApp } = page;
  const asked = createAskedPage();
  const { readAddress } = asked;
  const hydration = watchHydration();
  const reporter = createErrorReporter(sender, { remembers, rules, hydration, loadSecondPart, readAddress });
  const held = toldAddress === undefined ? undefined : holdPage(toldAddress, remembers, loadSecondPart);
  watchPage({
    onConsoleError: reporter.takeConsole,
    ...(held && {
      onFetch(input, facts, response) {
        asked.onFetch(input, facts.headers);
        held.onFetch(input, facts, response);
      },
      onNavigation(to, by) {
        asked.onNavigation();
        held.onNavigation(to, by);
      },
    }),
  });
  recordBreadcrumbs(address);
  keepReports(address, remembers, reporter.hurry);
  reporter.begin();
  startDelivery();
}
