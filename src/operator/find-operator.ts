import 'server-only';

import type { OperatorAccess } from '#src/http/request-context.ts';
import { serverSettings } from '#src/http/server-settings.ts';
import { openStore } from '#src/store/open-store.ts';

import { readSessionCookies, sessionCookieName } from './cookie.ts';
import { noteEndedSession } from './ended-session.ts';
import { isSecret } from './secret.ts';
import { sessionsOf } from './sessions.ts';

/** The person who sent a request with this `Cookie` header; undefined when nobody is signed in. */
export async function findOperator(cookieHeader: string | null): Promise<OperatorAccess | undefined> {
  const settings = serverSettings();
  if (settings.auth === 'off') return { kind: 'login-off' };
  const cookies = readSessionCookies(cookieHeader, sessionCookieName(settings));
  if (cookies.length === 0) return undefined;
  const sessions = sessionsOf(await openStore());
  for (const cookie of cookies) {
    const session = await sessions.find(cookie);
    if (session) return { kind: 'session', id: session.id };
  }
  if (cookies.some(isSecret)) noteEndedSession();
  return undefined;
}
