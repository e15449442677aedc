import { allowedMethods } from './read-framing.ts';

/** What is answered to a request that is not passed on: it cannot be read in one way alone, or its method is none of the interface's. */
export type Refusal = {
  readonly status: 400 | 405;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

const texts = { 400: 'Bad request.\n', 405: 'Method not allowed.\n' } as const;

export function refuseVisitor(status: 400 | 405): Refusal {
  const body = texts[status];
  return {
    status,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'content-length': String(body.length),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...(status === 405 ? { allow: allowedMethods } : {}),
    },
    body,
  };
}
