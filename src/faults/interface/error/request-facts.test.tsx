import { isValidElement, type ReactNode } from 'react';
import { expect, it, vi } from 'vitest';

import type { Fact } from '#viewer/facts.tsx';
import type { StoredError } from '#src/faults/kept/error-details.ts';

import { RequestFacts } from './request-facts.tsx';

let pages = 1;

vi.mock('#src/flights/interface/find-carrier.ts', () => ({
  findCarrier: vi.fn(async ({ path }: { path: string }) =>
    path === '' ? { flight: { id: 7, kind: 'document', method: 'GET', path: '/late', query: [] }, pages } : undefined,
  ),
}));
vi.mock('#viewer/facts.tsx', () => ({ Facts: () => null }));

const error: StoredError = {
  id: 'a',
  digest: '1995396785',
  app: 'shop',
  phase: 'unknown',
  kind: 'unknown',
  name: 'Error',
  message: 'late',
  method: '',
  path: '',
  requestId: '',
  traceId: '',
  time: 1_000,
  release: '',
  fingerprint: 'f',
  frames: [],
  stack: '',
  componentStack: undefined,
  causes: [],
  printedDigest: null,
  framework: '',
  route: '',
  runtime: '',
  said: { level: 'error', environment: '', sdk: '', user: '', tags: {}, extra: {} },
};

function listTexts(node: ReactNode): string[] {
  if (typeof node === 'string') return [node];
  if (Array.isArray(node)) return node.flatMap(listTexts);
  if (!isValidElement<{ children?: ReactNode; kind?: string; facts?: readonly Fact[] }>(node)) return [];
  const { children, kind, facts = [] } = node.props;
  return [
    ...(kind === undefined ? [] : [kind]),
    ...listTexts(children),
    ...facts.flatMap(({ name, value }) => [name, ...listTexts(value)]),
  ];
}

it('takes kind and route of an error of the output from the flight that carried its digest, and says so', async () => {
  const texts = listTexts(await RequestFacts({ error, now: 2_000 }));
  expect(texts).toEqual(
    expect.arrayContaining(['document', 'GET /late', 'from the flight that carried its digest', 'Phase']),
  );
  const said = listTexts(await RequestFacts({ error: { ...error, method: 'GET', path: '/cart' }, now: 2_000 }));
  expect(said).toContain('GET /cart');
  expect(said).not.toContain('from the flight that carried its digest');
});

it('says that it is a guess where the flights of several pages carried the digest', async () => {
  pages = 2;
  const texts = listTexts(await RequestFacts({ error, now: 2_000 }));
  pages = 1;
  expect(texts).toContain('perhaps: flights of 2 pages carried its digest at that moment');
});

it('names no phase where an SDK sent the error, which says none', async () => {
  const said = { ...error.said, sdk: 'sentry.javascript.node 10' };
  expect(listTexts(await RequestFacts({ error: { ...error, said }, now: 2_000 }))).not.toContain('Phase');
});
