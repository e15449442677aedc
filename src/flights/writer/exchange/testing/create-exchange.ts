import type { Exchange, ExchangeFacts } from '../../../watch/exchange.ts';
import { lookAtRequest } from '../../../watch/look-at-request.ts';
import { createExchangeReader } from '../describe-exchange.ts';

type Given = Partial<Omit<ExchangeFacts, 'look'>> & {
  readonly chunks?: readonly (readonly [number, Uint8Array | string])[];
  readonly args?: Uint8Array | string;
};

export function createExchange({ chunks = [], args = '', ...facts }: Given): Exchange {
  const pieces = chunks.map(([, bytes]) => Buffer.from(bytes));
  const [method, target, requestHeaders] = [facts.method ?? 'GET', facts.target ?? '/', facts.requestHeaders ?? {}];
  const body = Buffer.concat(pieces);
  const kept = Buffer.from(args);
  return {
    facts: {
      app: 'shop',
      requestId: '1'.repeat(32),
      policy: { mode: 'all' },
      release: '',
      status: 200,
      responseHeaders: {},
      peer: '192.0.2.1',
      startedAt: 1_000_000,
      durationMs: 5,
      outcome: 'complete',
      sentBytes: body.length,
      requestBytes: kept.length,
      ...facts,
      method,
      target,
      requestHeaders,
      look: lookAtRequest({ method, target, headers: requestHeaders }),
    },
    times: chunks.flatMap(([ms], index) => [ms, pieces[index]?.length ?? 0]),
    body,
    args: kept,
  };
}

export async function describeOne(given: Given) {
  return (await createExchangeReader()(createExchange(given))).entries;
}

export const html = {
  responseHeaders: { 'content-type': 'text/html; charset=utf-8' },
  requestHeaders: { accept: 'text/html' },
};
export const rows = { responseHeaders: { 'content-type': 'text/x-component' } };
export const push = (text: string) => `<script>(self.__FLIGHT_DATA||=[]).push(${JSON.stringify(text)})</script>`;
