import 'server-only';

import { mountPath } from '#src/server/http/addresses.ts';
import { currentRequest } from '#src/server/http/request-context.ts';
import { serverSettings, type ServerSettings } from '#src/server/http/server-settings.ts';

import { sessionMs } from './sessions.ts';

/**
 * The name begins with `__Host-` where people come by https. The browser then takes the cookie from this host alone,
 * over TLS alone. A plain http address has no such protection, and browsers share its cookies between ports. There the
 * name contains the port, so that two recorders on one machine do not sign each other out: that of `BASE_URL` if there is one, which
 * several servers behind a balancer have in common.
 *
 * Mounted in another app, the cookie is for the mount path alone: the app's own addresses need not see it. `__Host-` is only
 * for a whole host, so there it is `__Secure-`.
 *
 * `SameSite=Lax`: with `Strict`, a link in a chat or a mail would show the login page to a person who is signed in. Lax
 * sends the cookie only with such top-level GETs, which change nothing.
 */
type Reached = Pick<ServerSettings, 'baseUrl' | 'port'>;

/**
 * By which address this request came. The app beside which this server runs may have any name, and this server's own port changes
 * with each start: a cookie named after it would sign people out.
 */
export function currentReach(): Reached {
  const visitor = currentRequest()?.visitor;
  if (!visitor) return serverSettings();
  const baseUrl = new URL(`${visitor.protocol}://${visitor.host}`);
  return { baseUrl, port: Number(baseUrl.port) || 80 };
}

function isSecure({ baseUrl }: Reached): boolean {
  return baseUrl?.protocol === 'https:';
}

function readPublicPort({ baseUrl, port }: Reached): number {
  return baseUrl ? Number(baseUrl.port || 80) : port;
}

export function sessionCookieName(reached: Reached, mount = mountPath): string {
  if (mount !== '') return isSecure(reached) ? '__Secure-flight' : `flight_mounted_${readPublicPort(reached)}`;
  return isSecure(reached) ? '__Host-flight' : `flight_${readPublicPort(reached)}`;
}

/**
 * The values of the session cookie in a `Cookie` header, unchanged. All of them: without TLS another application on
 * this host can set cookies of our name for narrower paths, and a browser sends those before ours. The 16 KiB that
 * Node's parser takes hold 290 of them, which take 1 ms to look up.
 */
export function readSessionCookies(header: string | null, name: string): string[] {
  if (!header) return [];
  const prefix = `${name}=`;
  return header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(prefix))
    .map((pair) => pair.slice(prefix.length));
}

const anySecure = new URL('https://any.invalid');

/**
 * Those of this request. A proxy in front of the app that nobody has named may hide that people come by https: the `Origin` of the
 * form that signed them in told it, the address of a page does not.
 */
export function currentSessionCookies(header: string | null): string[] {
  const reached = currentReach();
  const own = readSessionCookies(header, sessionCookieName(reached));
  if (!currentRequest()?.visitor || isSecure(reached)) return own;
  return [...own, ...readSessionCookies(header, sessionCookieName({ ...reached, baseUrl: anySecure }))];
}

/** The cookie outlives its session, which the server ends: so the login page can say that one has ended. */
const keptAfterEndMs = 14 * 24 * 60 * 60_000;

function formatCookie(reached: Reached, value: string, maxAge: number, mount: string): string {
  const secure = isSecure(reached) ? '; Secure' : '';
  const name = sessionCookieName(reached, mount);
  return `${name}=${value}; Path=${mount || '/'}; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`;
}

/** The value of `Set-Cookie` that signs a browser in. */
export function formatSessionCookie(reached: Reached, secret: string, mount = mountPath): string {
  return formatCookie(reached, secret, (sessionMs + keptAfterEndMs) / 1000, mount);
}

export function formatClearedCookie(reached: Reached, mount = mountPath): string {
  return formatCookie(reached, '', 0, mount);
}
