import 'server-only';

import type { IncomingMessage } from 'node:http';

import { canonicalize, isListed } from '#src/server/environment/address-range.ts';
import { healthPath, readyPath } from '#src/server/http/addresses.ts';
import { bodyLimit } from '#src/server/http/check-request.ts';
import { checkTarget, targetLengthLimit } from '#src/server/http/check-target.ts';
import { parseProxies } from '#src/server/http/client-address.ts';
import { readSdkPath } from '#src/server/http/sdk-path.ts';
import { meetVisitor } from '#src/server/http/visitor.ts';
import { allowedHosts, allowedOrigins, type ServerSettings } from '#src/server/http/server-settings.ts';
import type { CheckHead } from '#src/server/connections/limited-server.ts';
import type { ConnectionRefusal } from '#src/server/connections/refusal.ts';

/**
 * The checks that need a request's head alone, before Hono makes an object of it, on every route. Names are compared
 * exactly: `Host` refuses a name that an attacker's DNS points here, and `Origin` keeps another site's page from acting in a
 * visitor's name. A route may ask for more (an action wants an origin, the tunnel a POST), never for less: but for the addresses of
 * SDKs, to which pages of other apps post from wherever they are. Those look at no cookie, and limit their bodies themselves.
 */

/** Apache's default. Browsers send some 15, proxies add a few. */
export const headerLimit = 100;
/** Entries of Node's raw list, which has a name and a value for each. */
const rawHeaderLimit = headerLimit * 2;

const probePaths: ReadonlySet<string> = new Set([healthPath, readyPath]);

/** Methods that some route could answer. Each route decides for itself. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

function refuse(code: ConnectionRefusal['code'], detail: string): ConnectionRefusal {
  return { code, detail };
}

/** Node keeps the first of two, Hono joins them, and a proxy may have read the other one. */
function findRepeated(rawHeaders: readonly string[]): string | undefined {
  let hosts = 0;
  let types = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
    else if (name.length === 12 && name.toLowerCase() === 'content-type') types += 1;
  }
  if (hosts > 1) return 'Host';
  return types > 1 ? 'Content-Type' : undefined;
}

function isForSdks({ method, url = '' }: IncomingMessage): boolean {
  if (method !== 'POST' && method !== 'OPTIONS') return false;
  return readSdkPath(url.split('?', 1)[0] ?? '') !== undefined;
}

/** @param most bytes that may be declared */
function checkBody({ method, headers }: IncomingMessage, most: number): ConnectionRefusal | undefined {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked') {
    return refuse('malformed-request', `Transfer-Encoding: ${encoding}`);
  }
  if (length !== undefined && Number(length) > most) return refuse('too-large', `Content-Length: ${length}`);
  const hasBody = encoding !== undefined || (length !== undefined && Number(length) > 0);
  if (hasBody && (method === 'GET' || method === 'HEAD')) return refuse('malformed-request', `${method} with a body`);
  return undefined;
}

function checkShape(incoming: IncomingMessage): ConnectionRefusal | undefined {
  const { url = '', method = '', headers, rawHeaders } = incoming;
  if (rawHeaders.length > rawHeaderLimit) return refuse('headers-too-large', `more than ${headerLimit} headers`);
  if (url.length > targetLengthLimit) return refuse('target-too-long', `${url.length} characters`);
  const problem = checkTarget(url);
  if (problem !== undefined) return refuse('malformed-request', problem);
  const repeated = findRepeated(rawHeaders);
  if (repeated !== undefined) return refuse('malformed-request', `${repeated} twice`);
  if (!methods.has(method)) return refuse('wrong-method', method);
  if (headers.upgrade !== undefined) return refuse('malformed-request', `Upgrade: ${headers.upgrade}`);
  return undefined;
}

/** A person follows a link: the browser shows the answer in a window, and does not fetch it in advance. */
function isFollowed({ method, headers }: IncomingMessage): boolean {
  return (
    (method === 'GET' || method === 'HEAD') &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document' &&
    headers['sec-purpose'] === undefined
  );
}

/**
 * `Sec-Fetch-Site` says which site's page made the browser send a request; a sibling domain is another site, and so is
 * another port. A page of another site may link here. It may not use an address here as an image, a script or a frame: with
 * the login off each such request acts in the operator's name, and each one that fails stores an error.
 */
function checkSite(incoming: IncomingMessage): ConnectionRefusal | undefined {
  const site = incoming.headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return undefined;
  return isFollowed(incoming) ? undefined : refuse('wrong-origin', `Sec-Fetch-Site: ${site}`);
}

/** A name or an address, and a port: what a link may be made of. */
const authority = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/**
 * Through an app people come by whatever name it has, so there is no list. A page of another origin is told by its `Origin`. A name
 * that an attacker's DNS points here brings no cookie of the real one, and without a session nobody is let in.
 */
function checkNameOfApp({ headers: { host } }: IncomingMessage): ConnectionRefusal | undefined {
  if (host === undefined) return refuse('malformed-request', 'no Host');
  return authority.test(host) ? undefined : refuse('wrong-host', `Host: ${host}`);
}

/** Behind a proxy that ends TLS, the page has `https` and the request here has not. */
function checkOriginOfApp({ headers: { host, origin } }: IncomingMessage): ConnectionRefusal | undefined {
  const isOwn = origin === undefined || origin === `https://${host}` || origin === `http://${host}`;
  return isOwn ? undefined : refuse('wrong-origin', `Origin: ${origin} at ${host}`);
}

/**
 * Balancers ask by the address of the machine, or with no name at all (HAProxy's `option httpchk GET /readyz`). The answers say
 * nothing that a page of another site could use, and whoever is not beside this server, or a proxy that was named, needs the name.
 */
function createProbeCheck({ trustedProxies }: ServerSettings): (incoming: IncomingMessage) => boolean {
  const near = parseProxies(['127.0.0.0/8', '::1', ...trustedProxies]);
  return function isProbe({ method, url = '', socket, headers }) {
    if ((method !== 'GET' && method !== 'HEAD') || !probePaths.has(url.split('?', 1)[0] ?? '')) return false;
    if (headers.origin !== undefined || headers['sec-fetch-site'] !== undefined) return false;
    const address = canonicalize(socket.remoteAddress ?? '');
    return address !== undefined && isListed(near, address);
  };
}

/** @param settings when the port is known: it is part of the names */
export function createHeadCheck(settings: ServerSettings): CheckHead {
  const hosts = allowedHosts(settings);
  const [ownHost = 'localhost'] = hosts;
  const isProbe = createProbeCheck(settings);
  const hostsByOrigin = new Map(Array.from(allowedOrigins(settings), (origin) => [origin, new URL(origin).host]));

  function checkHost({ headers: { host } }: IncomingMessage): ConnectionRefusal | undefined {
    if (host === undefined) return refuse('malformed-request', 'no Host');
    return hosts.has(host) ? undefined : refuse('wrong-host', `Host: ${host}`);
  }

  function checkOrigin({ headers: { host, origin } }: IncomingMessage): ConnectionRefusal | undefined {
    if (origin === undefined) return undefined;
    // `localhost` and `127.0.0.1` are one server and two origins: a page of the one must not act on the other.
    return hostsByOrigin.get(origin) === host ? undefined : refuse('wrong-origin', `Origin: ${origin} at ${host}`);
  }

  return function checkHead(incoming) {
    const isThroughApp = meetVisitor(incoming) !== undefined;
    // Hono makes an address of the request, which needs a name.
    if (!isThroughApp && isProbe(incoming)) incoming.headers.host = ownHost;
    const problem = checkShape(incoming) ?? (isThroughApp ? checkNameOfApp(incoming) : checkHost(incoming));
    if (problem) return problem;
    if (isForSdks(incoming)) return checkBody(incoming, Infinity);
    const foreign = isThroughApp ? checkOriginOfApp(incoming) : checkOrigin(incoming);
    return foreign ?? checkSite(incoming) ?? checkBody(incoming, bodyLimit);
  };
}
