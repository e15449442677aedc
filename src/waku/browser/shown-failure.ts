import { reports } from 'virtual:flight-recorder/options';

import type { ShownError } from '#src/runtime/errors/browser-digest.ts';

export type ShownFailure = Omit<ShownError, 'digest'> & { readonly digest: string | undefined };

/** An error of the browser is found under its digest only when browsers report. Otherwise a visitor is shown none. */
export function toShownFailure(shown: ShownError): ShownFailure {
  const isFound = shown.side === 'server' || reports;
  return isFound ? shown : { ...shown, digest: undefined };
}
