import 'server-only';

import type { ServerSettings } from '#src/http/server-settings.ts';

import { sessionMs } from './sessions.ts';

/**
 * The name begins with `__Host-` where people come by https. The browser then takes the cookie from this host alone,
 * over TLS alone. A plain http address has no such protection, and browsers share its cookies between ports. There the
 * name contains the port, so that two recorders on one machine do not sign each other out.
 *
 * `SameSite=Lax`: with `Strict`, a link in a chat or a mail would show the login page to a person who is signed in. Lax
 * sends the cookie only with such top-level GETs, which change nothing.
 */
type Reached = Pick<ServerSettings, 'baseUrl' | 'port'>;

function isSecure({ baseUrl }: Reached): boolean {
  return baseUrl?.protocol === 'https:';
}

export function sessionCookieName(reached: Reached): string {
  return isSecure(reached) ? '__Host-flight' : `flight_${reached.port}`;
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

/** The cookie outlives its session, which the server ends: so the login page can say that one has ended. */
const keptAfterEndMs = 14 * 24 * 60 * 60_000;

function formatCookie(reached: Reached, value: string, maxAge: number): string {
  const secure = isSecure(reached) ? '; Secure' : '';
  return `${sessionCookieName(reached)}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`;
}

/** The value of `Set-Cookie` that signs a browser in. */
export function formatSessionCookie(reached: Reached, secret: string): string {
  return formatCookie(reached, secret, (sessionMs + keptAfterEndMs) / 1000);
}

export function formatClearedCookie(reached: Reached): string {
  return formatCookie(reached, '', 0);
}
