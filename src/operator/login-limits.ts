import 'server-only';

import { createBuckets, type TakeToken } from '#src/http/token-bucket.ts';

/**
 * How often somebody may try to sign in. Nobody is ever locked out: a refused attempt may be repeated after seconds.
 * What one network tried takes nothing from another. Login links have a limit of their own, so an attack on the
 * password from many networks does not keep the operator from signing in with a link.
 */
export type LoginLimits = Readonly<Record<'password' | 'login-link', TakeToken>>;

export function createLoginLimits(): LoginLimits {
  return {
    // A person mistypes a few times in a row. Guessing gets 10 attempts a minute from one network and 1 a second from
    // all of them together, some 90 000 a day. A password of twelve characters that is on no list is safe against that.
    password: createBuckets({ own: { size: 10, perSecond: 1 / 6 }, shared: { size: 60, perSecond: 1 } }),
    // Nobody guesses 256 bits. This limits the cost of looking links up.
    'login-link': createBuckets({ own: { size: 20, perSecond: 1 }, shared: { size: 200, perSecond: 20 } }),
  };
}
