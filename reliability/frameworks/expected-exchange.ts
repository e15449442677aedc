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
  /** The name of the server action as the client sends it. */
  readonly actionId?: RegExp;
};

export type Framework = {
  /** The folder of the app's sources, and the name of its fixtures' folder. */
  readonly name: string;
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
