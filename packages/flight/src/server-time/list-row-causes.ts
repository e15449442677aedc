import type { RowCause } from './find-row-cause.ts';
import { findCalls, isCall, isRequest } from './find-server-waits.ts';
import { nameSpan } from './name-span.ts';
import type { ServerTime } from './server-time.ts';

/**
 * The requests and the components that a row may have waited for. Production's rows do not say which component rendered them, so the
 * waterfall joins them by time (readWaits), and says "perhaps". A component comes with the request that took most of its time.
 */
export function listRowCauses({ spans }: ServerTime): RowCause[] {
  const callOf = findCalls(spans);
  const requests = spans.filter(isRequest).toSorted((a, b) => b.ms - a.ms);
  return spans.flatMap((span) => {
    const times = { from: span.at, until: span.at + span.ms };
    if (isCall(span)) {
      const longest = requests.find((request) => callOf(request) === span);
      return [{ name: longest ? `${nameSpan(span)} with its ${longest.name}` : nameSpan(span), ...times }];
    }
    if (!isRequest(span)) return [];
    const by = callOf(span);
    return [{ name: by ? `${span.name} of ${nameSpan(by)}` : span.name, ...times }];
  });
}
