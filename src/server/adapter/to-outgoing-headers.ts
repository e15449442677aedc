import 'server-only';

import type { OutgoingHttpHeaders } from 'node:http';

/** For Node's response. Cookies are one header each. */
export function toOutgoingHeaders(headers: Headers): OutgoingHttpHeaders {
  const outgoing: OutgoingHttpHeaders = Object.fromEntries(headers);
  const cookies = headers.getSetCookie();
  if (cookies.length > 0) outgoing['set-cookie'] = cookies;
  return outgoing;
}
