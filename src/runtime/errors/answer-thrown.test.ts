import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { unstable_createCustomError as createCustomError } from 'waku/minimal/server';

import { answerThrown, withPlainFailures } from './answer-thrown.ts';
import { formatDigest } from '#report/digest.ts';

type HandleRequest = Parameters<typeof withPlainFailures>[0];
type Utils = Parameters<HandleRequest>[1];

const utils: Utils = {
  renderRsc: async () => new ReadableStream(),
  renderHtml: async () => new Response(''),
  loadBuildMetadata: async () => undefined,
};
let lines: unknown[] = [];

beforeEach(() => {
  // Development says what failed; these are about the server that visitors meet.
  vi.stubEnv('DEV', false);
  lines = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(JSON.parse(String(text))) > 0);
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** As Waku does: decodes, hands over, and throws what it cannot answer; `after` stands for what it does afterwards. */
async function answerWith(request: Request, handleRequest: HandleRequest, after?: Error): Promise<Response> {
  try {
    const input = { type: 'http', pathname: '/', req: request, etags: {} } as const;
    const result = await withPlainFailures(handleRequest)(input, utils);
    if (after) throw after;
    return result instanceof Response ? result : new Response('no response');
  } catch (error) {
    return answerThrown(error, request);
  }
}

async function expectFailure(response: Response, message: string): Promise<void> {
  expect(response.status).toBe(500);
  const digest = response.headers.get('x-flight-digest');
  expect(digest).toMatch(/^[0-9A-Z]{10}$/);
  expect(response.headers.get('cache-control')).toBe('private, no-store');
  expect(await response.text()).toBe(
    `The server failed to answer this request.\nDigest: ${formatDigest(digest ?? '')}\n`,
  );
  await vi.waitFor(() => expect(lines).toHaveLength(1));
  expect(lines).toMatchObject([{ event: 'server-error', phase: 'document', digest, message }]);
}

test('a failure of the error page itself is a 500 with a digest, in one line', async () => {
  const failing: HandleRequest = () => Promise.reject(new Error('the error page failed'));
  await expectFailure(await answerWith(new Request('http://localhost/'), failing), 'the error page failed');
});

test('so is what fails after the request was decoded and handled', async () => {
  const response = answerWith(new Request('http://localhost/'), async () => null, new Error('no fallback page'));
  await expectFailure(await response, 'no fallback page');
});

test.each([
  [new Error('Invalid encoded rscPath'), 400, 'malformed-request'],
  [createCustomError('Forbidden', { status: 403 }), 403, 'wrong-origin'],
  [createCustomError('Method Not Allowed', { status: 405 }), 405, 'wrong-method'],
])('%s before the request was decoded is a refusal', async (error, status, code) => {
  const response = await answerThrown(error, new Request('http://localhost/'));
  expect(response.status).toBe(status);
  expect(response.headers.get('x-flight-digest')).toBeNull();
  expect(lines).toMatchObject([{ event: 'request-refused', code }]);
});

test('a redirect is Waku’s to answer', async () => {
  const redirect = createCustomError('Redirect', { status: 307, location: '/elsewhere' });
  const input = { type: 'http', pathname: '/', req: new Request('http://localhost/'), etags: {} } as const;
  await expect(withPlainFailures(() => Promise.reject(redirect))(input, utils)).rejects.toBe(redirect);
  expect(lines).toEqual([]);
});
