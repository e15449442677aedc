import { unstable_getErrorInfo as readControl } from '#waku-errors';

/**
 * Waku's control errors, recognised here alone. A redirect and a page that is not found are thrown, and cross the wire in
 * the error's digest, so that they look the same in every module graph; what Waku's client makes of an answer that is not
 * `ok`, or of a connection that broke, has the same form. None of them is a failure: they keep Waku's digest and are not
 * reported.
 *
 * The function that reads them is Waku's own. Its package has two entry points for it, one for `rsc` and one for `ssr` and
 * the browser; `#waku-errors` (package.json) picks the right one.
 *
 * `readControl` returns what the error says (`status`, `location`), null for every other error.
 */
export { readControl };

export function isNotFound(error: unknown): boolean {
  const control = readControl(error);
  return control?.status === 404 && !control.location;
}

type Redirect = { readonly status: number; readonly location: string };

/** @param usualStatus where the error names none */
export function readRedirect(error: unknown, usualStatus: number): Redirect | undefined {
  const control = readControl(error);
  return control?.location ? { status: control.status ?? usualStatus, location: control.location } : undefined;
}
