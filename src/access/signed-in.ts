import 'server-only';

import { openStore } from '#src/store/open-store.ts';

import { requireOperator } from './require-operator.ts';
import { sessionsOf, type Session } from './sessions.ts';

/** A session as a page shows it. Its name is the hash of a secret, which is useless to a person who reads it. */
export type ListedSession = Session & { readonly isThisOne: boolean };

/** Who is signed in, the last seen first. */
export async function listSessions(): Promise<readonly ListedSession[]> {
  const operator = requireOperator();
  const own = operator.kind === 'session' ? operator.id : undefined;
  const sessions = await sessionsOf(await openStore()).list();
  return sessions.map((session) => ({ ...session, isThisOne: session.id === own }));
}

/** @returns whether there was such a session */
export async function revokeSession(id: string): Promise<boolean> {
  requireOperator();
  return (await sessionsOf(await openStore()).revoke([id])) > 0;
}

/**
 * Ends every session but the one of this request.
 * @returns how many there were
 */
export async function revokeOtherSessions(): Promise<number> {
  const others = (await listSessions()).filter((session) => !session.isThisOne).map((session) => session.id);
  return others.length > 0 ? sessionsOf(await openStore()).revoke(others) : 0;
}
