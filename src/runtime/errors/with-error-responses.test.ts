import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import type { fsRouter } from 'waku';

import { withErrorResponses } from './with-error-responses.ts';

vi.mock('../renderer/error-response.tsx', () => ({
  renderErrorResponse: async () => new Response('<html>', { status: 500, headers: { 'content-type': 'text/html' } }),
}));

type HandleRequest = ReturnType<typeof fsRouter>['handleRequest'];

const utils: Parameters<HandleRequest>[1] = {
  renderRsc: async () => new ReadableStream(),
  renderHtml: async () => new Response(''),
  loadBuildMetadata: async () => undefined,
};

beforeEach(() => {
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** The type of what a failing route answers. */
async function fail(accept: string | undefined): Promise<string | null> {
  const req = new Request('http://localhost/broken', accept === undefined ? {} : { headers: { accept } });
  const broken: HandleRequest = async () => Promise.reject(new Error('broken'));
  const { handleRequest } = withErrorResponses({ handleRequest: broken });
  const answer = await handleRequest({ type: 'http', pathname: '/broken', req, etags: {} }, utils);
  if (!(answer instanceof Response)) throw new Error('no response');
  expect(answer.status).toBe(500);
  return answer.headers.get('content-type');
}

it('answers a program in text, and a person with a page', async () => {
  expect(await fail('text/html,application/xhtml+xml,*/*;q=0.8')).toBe('text/html');
  for (const accept of ['application/json', '*/*', undefined]) {
    expect(await fail(accept)).toBe('text/plain; charset=utf-8');
  }
});
