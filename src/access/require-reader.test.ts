import { expect, it } from 'vitest';

import { createContext } from '#src/server/http/create-request-context.ts';
import { runInRequest, type OperatorAccess } from '#src/server/http/request-context.ts';

import { requireOperator } from './require-operator.ts';
import { requireReader } from './require-reader.ts';

function as<T>(operator: OperatorAccess | undefined, run: () => T): T {
  const { signal } = new AbortController();
  const context = createContext({ method: 'GET', path: '/', headers: new Headers(), address: '', signal }, false);
  context.operator = operator;
  return runInRequest(context, run);
}

it('somebody who may only read is no operator', () => {
  const reader = { kind: 'reader', apps: undefined } as const;
  expect(as(reader, requireReader)).toBe(reader);
  expect(() => as(reader, requireOperator)).toThrow('may only read');
});

it('the operator may read, and nobody else', () => {
  const operator = { kind: 'session', id: 'x' } as const;
  expect([as(operator, requireReader), as(operator, requireOperator)]).toEqual([operator, operator]);
  for (const check of [requireReader, requireOperator]) {
    expect(() => as(undefined, check)).toThrow('not signed in');
    expect(check).toThrow('not signed in');
  }
});
