import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { writeLog } from './log.ts';
import { runInRequest, type RequestContext } from './request-context.ts';

let lines: unknown[] = [];

beforeEach(() => {
  lines = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(JSON.parse(String(text))) > 0);
});

afterEach(() => {
  vi.restoreAllMocks();
});

const request: RequestContext = {
  id: 'abc',
  kind: 'document',
  method: 'GET',
  path: '/',
  traceId: '',
  startedAt: 0,
  address: '',
  nonce: '',
  operator: undefined,
  signal: new AbortController().signal,
  digests: [],
  breadcrumbs: [],
};

test('a line that is written for a request carries its id, whoever writes it and however late', async () => {
  await runInRequest(request, async () => {
    writeLog('warn', 'early');
    await new Promise((resolve) => setImmediate(resolve));
    writeLog('warn', 'late', { requestId: 'of the failed request' });
  });
  writeLog('warn', 'outside');
  expect(lines).toMatchObject([
    { event: 'early', requestId: 'abc' },
    { event: 'late', requestId: 'of the failed request' },
    { event: 'outside' },
  ]);
  expect(lines[2]).not.toHaveProperty('requestId');
});
