import { readFileSync } from 'node:fs';
import path from 'node:path';

import { isRecord } from '#boundary';

import type { Exchange } from '../exchange.ts';
import { keepRequestHeaders, keepResponseHeaders } from '../keep-headers.ts';
import { lookAtRequest } from '../look-at-request.ts';

/** For tests: an exchange that an app and a browser really had (reliability/frameworks writes them). */
export type Fixture = {
  readonly request: { method: string; target: string; headers: readonly string[]; body?: string };
  readonly response: { status: number; headers: readonly string[] };
  readonly chunks: readonly (readonly [number, string])[];
  readonly expected: {
    framework: string;
    kind: string;
    route: string | null;
    digests: readonly string[];
    actionId?: string;
  };
};

function isFixture(parsed: unknown): parsed is Fixture {
  return isRecord(parsed) && ['request', 'response', 'chunks', 'expected'].every((key) => key in parsed);
}

export function readFixture(name: string): Fixture {
  const parsed: unknown = JSON.parse(readFileSync(path.join(import.meta.dirname, '../fixtures', name), 'utf8'));
  if (!isFixture(parsed)) throw new Error(`${name} is no exchange`);
  return parsed;
}

/** As the proxy's thread hands it over. */
export function toExchange({ request, response, chunks }: Fixture, facts: Partial<Exchange['facts']> = {}): Exchange {
  const requestHeaders = keepRequestHeaders(request.headers);
  const pieces = chunks.map(([, text]) => Buffer.from(text, 'base64'));
  const body = Buffer.concat(pieces);
  const args = Buffer.from(request.body ?? '', 'base64');
  return {
    facts: {
      app: 'shop',
      requestId: '1'.repeat(32),
      policy: { mode: 'all' },
      release: '',
      method: request.method,
      target: request.target,
      look: lookAtRequest({ ...request, headers: requestHeaders }),
      requestHeaders,
      status: response.status,
      responseHeaders: keepResponseHeaders(response.headers),
      peer: '192.0.2.7',
      startedAt: 1_763_760_000_000,
      durationMs: chunks.at(-1)?.[0] ?? 0,
      outcome: 'complete',
      sentBytes: body.length,
      requestBytes: args.length,
      ...facts,
    },
    times: chunks.flatMap(([ms], index) => [ms, pieces[index]?.length ?? 0]),
    body,
    args,
  };
}
