import 'server-only';

import { currentRequest, type OperatorAccess } from '#src/server/http/request-context.ts';
import { serverSettings } from '#src/server/http/server-settings.ts';
import { openStore } from '#src/store/open-store.ts';
import { isNotAsked } from '#src/store/postgres/postgres-errors.ts';

import { currentSessionCookies } from './cookie.ts';
import { noteEndedSession } from './ended-session.ts';
import { isSecret } from './secret.ts';
import { sessionsOf } from './sessions.ts';

async function askSessions(cookieHeader: string | null): Promise<OperatorAccess | undefined> {
  if (serverSettings().auth === 'off' || currentRequest()?.visitor?.isLocal === true) return { kind: 'login-off' };
  const cookies = currentSessionCookies(cookieHeader);
  if (cookies.length === 0) return undefined;
  const sessions = sessionsOf(await openStore());
  for (const cookie of cookies) {
    const session = await sessions.find(cookie);
    if (session) return { kind: 'session', id: session.id };
  }
  if (cookies.some(isSecret)) noteEndedSession();
  return undefined;
}

/**
 * The person who sent a request with this `Cookie` header; undefined when nobody is signed in. `unknown`: it says that somebody is, and
 * the database, which knows, does not answer.
 */
export async function askOperator(cookieHeader: string | null): Promise<OperatorAccess | undefined | 'unknown'> {
  try {
    return await askSessions(cookieHeader);
  } catch (error) {
    if (isNotAsked(error)) return 'unknown';
    throw error;
  }
}

/** The same for what strangers may do, too: where nobody can say who it is, it is a stranger. */
export async function findOperator(cookieHeader: string | null): Promise<OperatorAccess | undefined> {
  const asked = await askOperator(cookieHeader);
  return asked === 'unknown' ? undefined : asked;
}
