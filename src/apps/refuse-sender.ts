import { isErrorCode } from '#src/server/http/error-codes.ts';
import type { Refused } from '#src/server/http/check-request.ts';
import { refuse } from '#src/server/http/refuse.ts';
import { receiptCounts } from '#src/server/http/receipt-counts.ts';

import { countRefusal, type Refusal } from './refusals.ts';

/** What an app's sender gets that is refused: errors and flights alike. */
export type SenderRefusal = Refused & { readonly headers?: Readonly<Record<string, string>> };

/** What a browser sends to its app's server is refused there. */
type Endpoint = Exclude<Refusal['endpoint'], 'browser'>;

/**
 * Counted, so that the app's page can say why nothing comes.
 * @param app one that exists: nothing is counted for a name that somebody made up
 * @param more what stands beside the error
 */
export function refuseSender(
  endpoint: Endpoint,
  app: string | undefined,
  { code, detail, headers }: SenderRefusal,
  more?: Readonly<Record<string, unknown>>,
): Response {
  receiptCounts.add(endpoint, code);
  if (app !== undefined) countRefusal({ app, endpoint, reason: code });
  return refuse(code, 'json', detail, headers, more);
}

/** Whoever writes a sender reads what is wrong with the body. */
export function refuseMalformedBody(endpoint: Endpoint, app: string, reason: string): Response {
  return refuseSender(endpoint, app, { code: 'malformed-request', detail: reason }, { reason });
}

/** A sender may have counted wrongly. */
const passedOnLimit = 100_000;

/**
 * What an app's server refused of browsers, as it says in the header `refusedHeader`. Only codes of ours count.
 * @param app one that exists, whose secret key came with it
 */
export function countPassedOn(app: string, header: string): void {
  for (const part of header.slice(0, 1_000).split(',')) {
    const [reason = '', text = ''] = part.trim().split('=');
    const count = /^\d{1,9}$/.test(text) ? Math.min(Number(text), passedOnLimit) : 0;
    if (isErrorCode(reason) && count > 0) countRefusal({ app, endpoint: 'browser', reason }, count);
  }
}
