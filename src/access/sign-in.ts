import 'server-only';

import { openStore } from '#src/store/open-store.ts';

import { useLoginLink } from './login-links.ts';
import type { LoginProblem } from './login-problems.ts';
import { isCurrentPassword, matchPassword } from './password.ts';
import { hashSecret } from './secret.ts';
import { sessionsOf } from './sessions.ts';

/** The password that was typed, or the code of the link that was opened. */
export type Credential =
  | { readonly kind: 'login-link'; readonly secret: string }
  | { readonly kind: 'password'; readonly password: string };

export type Browser = {
  readonly userAgent: string;
  readonly address: string;
  /** The session cookies that came with the attempt. They are never reused: their sessions are closed. */
  readonly cookies: readonly string[];
};

export type SignIn = { readonly secret: string } | { readonly problem: LoginProblem };

/** Opens a session under a new secret when the credential is right. */
export async function signIn(credential: Credential, browser: Browser): Promise<SignIn> {
  const store = await openStore();
  const sessions = sessionsOf(store);
  const from = { openedBy: credential.kind, userAgent: browser.userAgent, address: browser.address };
  switch (credential.kind) {
    case 'login-link':
      return sessions.open(from, browser.cookies, (trx) => useLoginLink(trx, credential.secret));
    case 'password': {
      // Before the transaction, so that no other write waits for a hash.
      const matched = await matchPassword(store, credential.password);
      return sessions.open(from, browser.cookies, async (trx) => {
        const isRight = matched !== undefined && (await isCurrentPassword(trx, matched));
        return isRight ? undefined : ('wrong-password' as const);
      });
    }
  }
}

/**
 * Ends the sessions of these cookies. A person who has the cookie may do so.
 * @returns how many there were
 */
export async function signOut(cookies: readonly string[]): Promise<number> {
  if (cookies.length === 0) return 0;
  return sessionsOf(await openStore()).revoke(cookies.map((cookie) => hashSecret(cookie)));
}
