import type { ErrorCode } from './error-codes.ts';
import type { RequestKind } from './request-context.ts';
import { createTally } from './tally.ts';

/**
 * What was asked of this process since it started. `file`: an asset, which is sent without a context. `unread`: it was refused before it
 * was a request (src/server/connections). `probe`: a balancer or a collector of metrics, which ask every few seconds without any visitor.
 */
export const requestCounts = createTally();
/** By code, and by who refused: `port`, or a middleware (`app`). */
export const refusalCounts = createTally();

const classes = ['0xx', '1xx', '2xx', '3xx', '4xx', '5xx'] as const;

function toClass(status: number): string {
  return classes[Math.floor(status / 100)] ?? 'other';
}

export function countRequest(kind: RequestKind | 'file' | 'unread' | 'probe', status: number): void {
  requestCounts.add(kind, toClass(status));
}

export function countRefusal(code: ErrorCode, by: 'app' | 'port'): void {
  refusalCounts.add(code, by);
}
