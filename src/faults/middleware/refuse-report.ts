import 'server-only';

import type { Refused } from '#src/server/http/check-request.ts';
import { errorCodes } from '#src/server/http/error-codes.ts';

/**
 * A refusal in the form that SDKs of Sentry read: the status, `X-Sentry-Error`, and `detail` in the body, beside our own error.
 * An SDK only looks at the status and at the two headers that say when to come back.
 */
export type ReportRefusal = Refused & { readonly headers?: Readonly<Record<string, string>> };

/** As long as the store waits before it tries the disk again. The SDK keeps to it and asks nothing of a full disk. */
const storeRetrySeconds = 10;

/** Writes Sentry's header without categories, so that all of them wait. */
function askToWait(seconds: number, reason: string): Record<string, string> {
  return { 'retry-after': String(seconds), 'x-sentry-rate-limits': `${seconds}::key:${reason}` };
}

export function describeTooMany(wait: number): ReportRefusal {
  return { code: 'too-many-requests', detail: 'too many reports', headers: askToWait(wait, 'too_many_reports') };
}

export function describeUnstored(detail: string): ReportRefusal {
  return { code: 'not-stored', detail, headers: askToWait(storeRetrySeconds, 'not_stored') };
}

/** What Relay has in its body. The log alone has the detail, which may hold text from outside. */
export function toSdkBody({ code }: Refused): Readonly<Record<string, unknown>> {
  return { detail: errorCodes[code].message };
}

/** @param reason what is told of it, if more than the code; a text of ours */
export function toSdkHeaders({ code, headers }: ReportRefusal, reason: string = code): Record<string, string> {
  return { 'x-sentry-error': reason, ...headers };
}

/**
 * The data categories that are not kept. The SDK stops sending them for a day after the first answer, and counts them in
 * its client report: https://develop.sentry.dev/sdk/foundations/transport/rate-limiting/
 */
const categoriesNotKept =
  'transaction;span;session;profile;profile_chunk;replay;attachment;monitor;log_item;log_byte;trace_metric';
export const notKeptLimit = `86400:${categoriesNotKept}:key:not_stored`;
