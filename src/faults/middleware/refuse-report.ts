import 'server-only';

import type { Refused } from '#src/server/http/check-request.ts';
import { type ErrorCode, errorCodes } from '#src/server/http/error-codes.ts';
import { storeRetrySeconds, type Refusal } from '#src/server/http/receive.ts';

/**
 * A refusal in the form that SDKs of Sentry read: the status, `X-Sentry-Error`, and `detail` in the body, beside our own error.
 * An SDK only looks at the status and at the two headers that say when to come back.
 */

/** How the header without categories names why all of them wait. */
const waitsFor: Partial<Record<ErrorCode, string>> = {
  'too-many-requests': 'too_many_reports',
  'not-stored': 'not_stored',
};

export function describeTooMany(wait: number): Refusal {
  return { code: 'too-many-requests', detail: 'too many reports', headers: { 'retry-after': String(wait) } };
}

/** The SDK keeps to it and asks nothing of a full disk. */
export function describeUnstored(detail: string): Refusal {
  return { code: 'not-stored', detail, headers: { 'retry-after': String(storeRetrySeconds) } };
}

/** What Relay has in its body. The log alone has the detail, which may hold text from outside. */
export function toSdkBody({ code }: Refused): Readonly<Record<string, unknown>> {
  return { detail: errorCodes[code].message };
}

/** @param reason what is told of it, if more than the code; a text of ours */
export function toSdkHeaders({ code, headers }: Refusal, reason: string = code): Record<string, string> {
  const [seconds, why] = [headers?.['retry-after'], waitsFor[code]];
  const limit = seconds && why ? { 'x-sentry-rate-limits': `${seconds}::key:${why}` } : {};
  return { 'x-sentry-error': reason, ...headers, ...limit };
}

/**
 * The data categories that are not kept. The SDK stops sending them for a day after the first answer, and counts them in
 * its client report: https://develop.sentry.dev/sdk/foundations/transport/rate-limiting/
 */
const categoriesNotKept =
  'transaction;span;session;profile;profile_chunk;replay;attachment;monitor;log_item;log_byte;trace_metric';
export const notKeptLimit = `86400:${categoriesNotKept}:key:not_stored`;
