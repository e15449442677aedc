import { parseRecorderUrl } from '../recorder-url.ts';
import { readFlightId } from './flight-id.ts';
import { readPageBuild } from './page-build.ts';
import { randomHex } from './random-hex.ts';
import { isReported, reportPage } from './report-page.ts';
import type { LoadSecondPart } from './second-part.ts';

/** The page's own origin answers here under `run --browser` and `proxy --browser`. */
const defaultPath = '/_fr';

export type StartOptions = {
  /**
   * A path on the page's own origin that `run --browser` or `proxy --browser` answers; or the recorder's address with the app's
   * browser key, `https://<key>@flight.example/<app>`, which is also its DSN. Without it: `/_fr`.
   */
  readonly to?: string | undefined;
  /** The app's id, where `to` does not name it. */
  readonly app?: string | undefined;
  readonly release?: string | undefined;
  readonly environment?: string | undefined;
  /** The part of the documents that report, from 0 to 1. Without it all of them do. */
  readonly sample?: number | undefined;
  /** Nothing is reported of a visitor whose browser says that their data may not be sold or shared (`Sec-GPC`). */
  readonly respectPrivacySignal?: boolean | undefined;
  /** What could not be sent may wait in the tab's session storage for its next document. Without it nothing is stored. */
  readonly remember?: boolean | undefined;
};

/** @throws when `to` is neither a path nor a recorder's address: whoever wrote it sees that at once */
function findAddress({ to = defaultPath, app }: StartOptions): string {
  if (to.startsWith('/')) return to;
  const recorder = parseRecorderUrl(app === undefined ? to : `${to.replace(/\/$/, '')}/${app}`);
  if (!recorder) throw new Error('flight-recorder: `to` is neither a path nor https://<browser key>@<host>/<app>');
  const { base, key } = recorder;
  return `${base}/api/${recorder.app}/envelope/?sentry_version=7&sentry_key=${key}`;
}

/** The id of the document's own request, where a proxy of ours has named it. */
function readDocumentId(): string | undefined {
  const [navigation] = performance.getEntriesByType('navigation');
  return navigation instanceof PerformanceNavigationTiming ? readFlightId(navigation) : undefined;
}

let isStarted = false;

/** Begins to report what goes wrong in this page. Once in a document: a second call does nothing, and so does one on a server. */
export function start(options: StartOptions, loadSecondPart: LoadSecondPart): void {
  if (typeof window === 'undefined' || isStarted || isReported()) return;
  const { release, environment, sample = 1, respectPrivacySignal = false, remember: remembers = false } = options;
  const address = findAddress(options);
  isStarted = true;
  if (respectPrivacySignal && 'globalPrivacyControl' in navigator && navigator.globalPrivacyControl === true) return;
  if (Math.random() >= sample) return;
  const sender = {
    traceId: readDocumentId() ?? randomHex(16),
    // The build stands in the page, which is not there yet.
    get release() {
      return release ?? readPageBuild();
    },
    environment,
    name: 'flight-recorder.browser',
  };
  // A recorder elsewhere has no flights of this page.
  const toldAddress = address.startsWith('/') ? `${address}/used` : undefined;
  reportPage({ sender, address, toldAddress, remembers }, loadSecondPart);
}
