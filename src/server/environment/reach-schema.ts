import * as v from 'valibot';

import { parseRange } from './address-range.ts';
import { flag, mustBe, show } from './entry.ts';
import { isLoopbackName, isReachableByOthers } from './reachability.ts';

/** How this server is reached, and by whom. These variables are only right together: their rules stand below them. */

function splitList(text: string): string[] {
  return text.split(',').flatMap((entry) => entry.trim() || []);
}

function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href;
}

export const reachEntries = {
  PORT: v.pipe(
    v.optional(
      v.pipe(
        v.string(),
        v.check((given) => /^\d+$/.test(given) && Number(given) <= 65_535, mustBe('a port number, at most 65535')),
        v.transform(Number),
      ),
      '3000',
    ),
    v.description('where the server listens'),
  ),
  HOST: v.pipe(
    v.optional(v.string(), '127.0.0.1'),
    v.description('on which address; one that other machines reach needs `BASE_URL`'),
  ),
  BASE_URL: v.pipe(
    v.optional(
      v.pipe(
        v.string(),
        v.check(isOrigin, mustBe('an address without a path, like https://flight.example')),
        v.transform((given) => new URL(given)),
      ),
    ),
    v.description(
      'the address that people use, as `https://flight.example`; links, cookies and allowed names come from it',
    ),
  ),
  TRUSTED_PROXIES: v.pipe(
    v.optional(
      v.pipe(
        v.string(),
        v.transform(splitList),
        v.everyItem(
          (entry) => parseRange(entry) !== undefined,
          ({ input }) => {
            const wrong = input.find((entry) => parseRange(entry) === undefined);
            return `has ${show(wrong)}, which is neither an address nor a range like 10.0.0.0/8`;
          },
        ),
      ),
      '',
    ),
    v.description('addresses or ranges, with commas between, whose `X-Forwarded-For` is believed'),
  ),
  FLIGHT_AUTH: v.pipe(
    v.optional(v.picklist(['on', 'off'], mustBe('"on" or "off"')), 'on'),
    v.description('`off` lets everybody in, only on 127.0.0.1 and without a proxy'),
  ),
  FLIGHT_INSECURE: v.pipe(
    flag,
    v.description('`1` allows a `BASE_URL` with plain http, in a network that is all yours'),
  ),
};

export const reachSchema = v.pipe(
  v.object(reachEntries),
  v.forward(
    v.partialCheck(
      [['HOST'], ['BASE_URL']],
      ({ HOST, BASE_URL }) => isLoopbackName(HOST) || BASE_URL !== undefined,
      ({ input }) =>
        `is ${show(input.HOST)}, which other machines can reach. Set BASE_URL to the address that people use ` +
        '(https://…), or leave HOST at 127.0.0.1.',
    ),
    ['HOST'],
  ),
  v.forward(
    v.partialCheck(
      [['BASE_URL'], ['FLIGHT_INSECURE']],
      ({ BASE_URL, FLIGHT_INSECURE }) =>
        BASE_URL?.protocol !== 'http:' || isLoopbackName(BASE_URL.hostname) || FLIGHT_INSECURE === true,
      ({ input }) =>
        `is ${show(input.BASE_URL?.origin)}, so passwords and cookies would cross the network unencrypted. ` +
        'Put a proxy with TLS in front and use https, or set FLIGHT_INSECURE=1 where the network is your own.',
    ),
    ['BASE_URL'],
  ),
  v.forward(
    v.partialCheck(
      [['FLIGHT_AUTH'], ['TRUSTED_PROXIES']],
      // A proxy that writes its own upstream's name into `Host`, as nginx does unasked, would let everybody in.
      ({ FLIGHT_AUTH, TRUSTED_PROXIES }) => FLIGHT_AUTH === 'on' || TRUSTED_PROXIES.length === 0,
      'is off and TRUSTED_PROXIES is set: through the proxy anybody could come. Unset one.',
    ),
    ['FLIGHT_AUTH'],
  ),
  v.forward(
    v.partialCheck(
      [['HOST'], ['BASE_URL'], ['FLIGHT_AUTH']],
      // The rule above already reports a `HOST` without its `BASE_URL`.
      ({ HOST, BASE_URL, FLIGHT_AUTH }) =>
        FLIGHT_AUTH === 'on' || BASE_URL === undefined || !isReachableByOthers({ hostname: HOST, baseUrl: BASE_URL }),
      'is off, which works on 127.0.0.1 alone. Unset it, or unset HOST and BASE_URL.',
    ),
    ['FLIGHT_AUTH'],
  ),
);
