import 'server-only';

import type { Refused } from '#src/server/http/check-request.ts';

/**
 * The key that an SDK of Sentry sends with a request, in one of three places:
 *
 *     X-Sentry-Auth: Sentry sentry_version=7, sentry_client=sentry.php/4.10.0, sentry_key=<key>
 *     Authorization: Sentry sentry_version=7, …
 *     ?sentry_version=7&sentry_key=<key>&sentry_client=…
 *
 * A fourth, the DSN in the envelope's header, is in the body. Relay refuses a request that names a key in two places; the first
 * one is taken here, as Bugsink does.
 */
export type SdkKey =
  | { readonly type: 'key'; readonly key: string }
  /** Nowhere in the head: perhaps in the envelope. */
  | { readonly type: 'none' }
  | ({ readonly type: 'refused' } & Refused);

/** An SDK's header has some 120 characters. */
const longestHeader = 1_000;
const keyPattern = /^\w{1,100}$/;
/** Relay's: the format of events has not changed since. */
const newestVersion = 8;

function readHeader(header: string): URLSearchParams | undefined {
  const [, fields] = /^\s*sentry\s+(.*)$/is.exec(header.slice(0, longestHeader)) ?? [];
  if (fields === undefined) return undefined;
  const pairs = fields.split(',').map((field) => field.trim().split('=', 2));
  return new URLSearchParams(pairs.map(([name = '', value = '']) => [name.trim(), value.trim()]));
}

function check(fields: URLSearchParams): SdkKey {
  const key = fields.get('sentry_key') ?? '';
  const version = Number(fields.get('sentry_version') ?? 7);
  if (!keyPattern.test(key)) return { type: 'refused', code: 'no-key', detail: 'a key that no app can have' };
  if (version > newestVersion) return { type: 'refused', code: 'malformed-request', detail: `version ${version}` };
  return { type: 'key', key };
}

export function readSdkKey(headers: Headers, query: URLSearchParams): SdkKey {
  for (const name of ['x-sentry-auth', 'authorization']) {
    const fields = readHeader(headers.get(name) ?? '');
    if (fields) return check(fields);
  }
  return query.has('sentry_key') ? check(query) : { type: 'none' };
}
