import type { IncomingMessage } from 'node:http';

import type { CheckHead } from '#src/server/connections/limited-server.ts';
import type { ConnectionRefusal } from '#src/server/connections/refusal.ts';

/**
 * What the proxy refuses from a request's head: what two parsers could read as two requests, and what has no place on a port
 * that serves one app. Node's parser has refused by then: a length beside chunks, two lengths, folded lines, a space before a
 * colon, control characters, bytes above ASCII in the target. Everything else about addresses, methods and bodies is the
 * app's to say.
 */

/** As many as Node's own server takes. */
export const headerLimit = 1_000;
/** Names and values. */
const rawHeaderLimit = headerLimit * 2;

/** RFC 3986: what a name, an address and a port are made of. Empty where the target has no host. */
const authority = /^(?:[\w.!$&'()*+,;=~%-]*|\[[\da-f:.]+\])(?::\d*)?$/i;

function malformed(detail: string): ConnectionRefusal {
  return { code: 'malformed-request', detail };
}

/** The target as it came. An app may have any path, with any dots, slashes and escapes in it. */
function checkTarget(target: string, method: string, host: string | undefined): string | undefined {
  if (target.includes('#')) return 'a fragment in the target';
  if (target.startsWith('/') || (target === '*' && method === 'OPTIONS')) return undefined;
  // A whole URL says a host of its own. It is read in one way alone when that is the one of the header.
  const [, named] = /^https?:\/\/([^/?]*)/i.exec(target) ?? [];
  return named !== undefined && named === host ? undefined : 'the target is not a path';
}

function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts;
}

function checkHost(incoming: IncomingMessage): string | undefined {
  const { host } = incoming.headers;
  const hosts = countHosts(incoming.rawHeaders);
  if (hosts > 1) return 'Host twice';
  if (hosts === 0) return incoming.httpVersionMinor === 0 ? undefined : 'no Host';
  return host !== undefined && authority.test(host) ? undefined : `Host: ${host}`;
}

/** Refuses what Node's parser lets through: it reads a body with any coding but `chunked` as it reads one without. */
function checkFraming({ headers, httpVersionMinor }: IncomingMessage): string | undefined {
  const encoding = headers['transfer-encoding'];
  if (encoding === undefined) return undefined;
  return httpVersionMinor === 1 && encoding.toLowerCase() === 'chunked' ? undefined : `Transfer-Encoding: ${encoding}`;
}

/** A proxy that was pointed at itself would otherwise send one request around until nothing is left. */
const mostHops = 64;

function checkHops({ headers }: IncomingMessage): string | undefined {
  const forwardedFor = headers['x-forwarded-for'];
  if (typeof forwardedFor !== 'string' || forwardedFor.length < mostHops) return undefined;
  return forwardedFor.split(',').length > mostHops
    ? `more than ${mostHops} proxies: does it forward to itself?`
    : undefined;
}

export const checkHead: CheckHead = (incoming) => {
  const { url = '', method = '', headers, rawHeaders } = incoming;
  if (rawHeaders.length > rawHeaderLimit) {
    return { code: 'headers-too-large', detail: `more than ${headerLimit} headers` };
  }
  const problem =
    checkHost(incoming) ?? checkTarget(url, method, headers.host) ?? checkFraming(incoming) ?? checkHops(incoming);
  return problem === undefined ? undefined : malformed(problem);
};
