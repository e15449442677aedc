import * as v from 'valibot';

import { mustBe } from './entry.ts';
import { isLoopbackName } from './reachability.ts';

/** How alerts are sent by e-mail: the one mail account of the server. */

export type Mail = {
  readonly server: {
    readonly host: string;
    readonly port: number;
    /** TLS from the first byte. Otherwise the connection is upgraded where the server offers it. */
    readonly isSecure: boolean;
    /** A password never crosses a network unencrypted. */
    readonly needsTls: boolean;
    readonly user: string | undefined;
    readonly password: string | undefined;
  };
  readonly from: string;
};

/** RFC 5321 allows 254. What stands in quotes before the `@` is used by nobody, and can hold anything. */
const addressPattern = /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@(?!-)[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*$/;
const longestAddress = 254;

export function isMailAddress(text: string): boolean {
  return text.length <= longestAddress && addressPattern.test(text);
}

function decode(text: string): string | undefined {
  try {
    return text === '' ? undefined : decodeURIComponent(text);
  } catch {
    return text;
  }
}

function parseServer(text: string): Mail['server'] | undefined {
  const url = URL.parse(text);
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === '') return undefined;
  if (!/^\/?$/.test(url.pathname) || url.search !== '' || url.hash !== '') return undefined;
  const isSecure = url.protocol === 'smtps:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const [user, password] = [decode(url.username), decode(url.password)];
  // The usual ports for handing mail in.
  const port = url.port === '' ? (isSecure ? 465 : 587) : Number(url.port);
  return { host, port, isSecure, user, password, needsTls: user !== undefined && !isSecure && !isLoopbackName(host) };
}

export const mailEntries = {
  SMTP_URL: v.pipe(
    v.optional(
      v.pipe(
        v.string(),
        v.rawTransform(({ dataset, addIssue, NEVER }) => {
          const server = parseServer(dataset.value);
          if (server) return server;
          // The value holds a password: it is not shown.
          addIssue({ message: 'is not of the form smtps://<user>:<password>@<host>:<port>' });
          return NEVER;
        }),
      ),
    ),
    v.description('through which mail server alerts are sent, as `smtps://user:password@host:465`'),
  ),
  ALERT_FROM: v.pipe(
    v.optional(v.pipe(v.string(), v.check(isMailAddress, mustBe('an e-mail address, like alerts@example.com')))),
    v.description('the address from which alerts are sent by e-mail'),
  ),
};
