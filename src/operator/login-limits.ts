import 'server-only';

import { createBuckets, type TakeToken } from '#src/http/token-bucket.ts';

/**
 * How often somebody may try to sign in. Nobody is ever locked out: what is refused here is refused for seconds, what
 * one network tried takes nothing from another, and a login link has a share of its own, so whoever keeps the password
 * busy from everywhere does not keep the operator from signing in with a link.
 */
export type LoginLimits = Readonly<Record<'password' | 'login-link', TakeToken>>;

export function createLoginLimits(): LoginLimits {
  return {
    // A person mistypes a few times in a row. Guessing gets 10 a minute from a network and 1 a second from all of them
    // together, some 90 000 a day: a password of twelve characters that is on no list holds against that.
    password: createBuckets({ own: { size: 10, perSecond: 1 / 6 }, shared: { size: 60, perSecond: 1 } }),
    // Nobody guesses 256 bits. This bounds what looking them up costs.
    'login-link': createBuckets({ own: { size: 20, perSecond: 1 }, shared: { size: 200, perSecond: 20 } }),
  };
}
