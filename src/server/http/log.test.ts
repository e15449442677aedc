import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { writeLog } from './log.ts';
import { runInRequest } from './request-context.ts';
import { makeRequest } from './testing/make-request.ts';

let lines: unknown[] = [];
let text = '';

beforeEach(() => {
  lines = [];
  text = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((line) => {
    text += String(line);
    return lines.push(JSON.parse(String(line))) > 0;
  });
});

afterEach(() => {
  vi.restoreAllMocks();
});

const request = makeRequest({ id: 'abc' });

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

test('a line is one line and steers no terminal, whatever is in it, and has the same value', () => {
  const hostile = 'a\u001b[2J\u009b2J\u009d0;x\u202e\u2028\u2066\ufeff\u007f\r\nb';
  writeLog('error', 'of a stranger', { [hostile]: hostile, list: [hostile] });
  expect(text).toMatch(/^[ -~]+\n$/);
  expect(lines[0]).toMatchObject({ [hostile]: hostile, list: [hostile] });
});
