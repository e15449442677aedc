/** What `start` takes. All of it may be left out. */
export type StartOptions = {
  /**
   * A path on the page's own origin that `run --browser` or `proxy --browser` answers; or the recorder's address with the app's
   * browser key, `https://<key>@flight.example/<app>`, which is also its DSN. Without it: `/_fr`.
   */
  readonly to?: string | undefined;
  /** The app's id, where `to` does not name it. */
  readonly app?: string | undefined;
  /** The version of the app. */
  readonly release?: string | undefined;
  readonly environment?: string | undefined;
  /** The part of the documents that report, from 0 to 1. Without it all of them do. */
  readonly sample?: number | undefined;
  /** Nothing is reported of a visitor whose browser says that their data may not be sold or shared (`Sec-GPC`). */
  readonly respectPrivacySignal?: boolean | undefined;
  /** What could not be sent may wait in the tab's session storage for its next document. Without it nothing is stored. */
  readonly remember?: boolean | undefined;
};

/**
 * Begins to report what goes wrong in this page: call it first in the entry of the app's browser side. A second call does nothing.
 * It throws where `to` can be no address.
 */
export function start(options?: StartOptions): void;
