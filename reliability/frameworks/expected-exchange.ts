import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';

import type { Seen, StepName } from './drive-app.ts';
import type { Exchange } from './capture-proxy.ts';

/** What a framework sends, as far as a recorder between it and the browser has to know. One table for each framework. */
export type ExpectedExchange = {
  /** Also the name of its fixture. */
  readonly name: string;
  /** The step of the journey that causes it. */
  readonly step: StepName;
  /** GET, when absent. */
  readonly method?: 'POST';
  readonly target: RegExp;
  /** Signs in the request, by lower-case name. `null`: the header is absent, and that is the sign. */
  readonly requestHeaders?: Readonly<Record<string, RegExp | null>>;
  readonly status: number;
  /** `null`: the answer has no Content-Type. */
  readonly contentType: string | null;
  readonly kind: 'document' | 'navigation' | 'prefetch' | 'action' | 'slice';
  /** The route's pattern where the request or the payload tells it, else null. */
  readonly route: string | null;
  /** `shown`: the answer has an error row with the digest that the visitor saw. `empty`: its digest is the empty string. */
  readonly digests: 'none' | 'shown' | 'empty';
  /** Where the name of the server action stands: `target`, `body` or a header. The first group of `shape` is the name. */
  readonly actionId?: { readonly from: string; readonly shape: RegExp };
  /** Signs in the decompressed answer. */
  readonly body?: RegExp;
  /** The answer has no Flight. */
  readonly content?: 'none';
  /** The answer is that of the server which the app runs on here, with paths of this machine: no fixture. */
  readonly isHostsOwn?: true;
};

export type Framework = {
  /** Names the folder that the app is built in, and the folder of its fixtures. */
  readonly name: string;
  /** The folders of its sources, beside this file. A file of a later one replaces that of an earlier one. */
  readonly sources: readonly string[];
  /** The name by which a recording calls it. */
  readonly framework: string;
  /** The app's server: arguments for Node. `$PORT` becomes the port. */
  readonly start: readonly string[];
  /** How the digests look that this framework makes itself. */
  readonly digest: RegExp;
  readonly exchanges: readonly ExpectedExchange[];
};

export function readHeader(headers: readonly string[], wanted: string): string | null {
  const index = headers.findIndex((name, at) => at % 2 === 0 && name.toLowerCase() === wanted);
  return index === -1 ? null : (headers[index + 1] ?? null);
}

const decompress: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  br: (bytes) => brotliDecompressSync(bytes),
  deflate: (bytes) => inflateSync(bytes),
  gzip: (bytes) => gunzipSync(bytes),
  zstd: (bytes) => zstdDecompressSync(bytes),
};

export function readBody({ chunks, responseHeaders }: Exchange): string {
  const bytes = Buffer.concat(chunks.map(([, piece]) => piece));
  const encoding = readHeader(responseHeaders, 'content-encoding');
  if (encoding === null || bytes.length === 0) return bytes.toString();
  const decode = decompress[encoding];
  if (!decode) throw new Error(`The encoding ${encoding} is not known`);
  return decode(bytes).toString();
}

function hasSigns(exchange: Exchange, expected: ExpectedExchange): boolean {
  return Object.entries(expected.requestHeaders ?? {}).every(([name, sign]) => {
    const value = readHeader(exchange.requestHeaders, name);
    return sign === null || value === null ? sign === value : sign.test(decodeURIComponent(value));
  });
}

/** The requests of that step that have the expected signs. The answer is not looked at: it is what a test compares. */
export function findExchanges(exchanges: readonly Exchange[], expected: ExpectedExchange): readonly Exchange[] {
  return exchanges.filter(
    (exchange) =>
      exchange.step === expected.step &&
      exchange.method === (expected.method ?? 'GET') &&
      expected.target.test(exchange.target) &&
      hasSigns(exchange, expected),
  );
}

function readPlace(exchange: Exchange, place: string): string | null {
  if (place === 'target') return exchange.target;
  if (place === 'body') return exchange.requestBody.toString('latin1');
  return readHeader(exchange.requestHeaders, place);
}

/** @throws when the name of the action is not where the table says */
export function readActionId(exchange: Exchange, { actionId }: ExpectedExchange): string | undefined {
  if (!actionId) return undefined;
  const text = readPlace(exchange, actionId.from);
  const id = actionId.shape.exec(text ?? '')?.[1];
  if (id === undefined) throw new Error(`No name of an action in ${actionId.from}`);
  return decodeURIComponent(id);
}

/** The digests that stand in the answer, by what the visitor saw on the page. */
export function listDigests(expected: ExpectedExchange, seen: Seen): readonly string[] {
  switch (expected.digests) {
    case 'none':
      return [];
    case 'empty':
      return [''];
    case 'shown': {
      const digest = seen.digest ?? /^failed: (.+)$/.exec(seen.result ?? '')?.[1];
      if (!digest) throw new Error(`No digest was shown in the step "${expected.step}"`);
      return [digest];
    }
  }
}
