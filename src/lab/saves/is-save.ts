import 'server-only';

import { unstable_getHeaders as getHeaders } from 'waku/router/server';

import { saveHeader } from '#src/server/http/flight-headers.ts';

/** Whether this rendering measures a save: then a page is its experiment, and nothing around it. */
export function isSave(): boolean {
  try {
    return saveHeader in getHeaders();
  } catch {
    // Prerendered: there is no request.
    return false;
  }
}
