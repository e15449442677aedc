import { Hono } from 'hono';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { runInRequest, type RequestContext } from '#src/server/http/request-context.ts';
import { makeRequest } from '#src/server/http/testing/make-request.ts';

import { cspReport } from './csp-report.ts';
import { errorCodes, type ErrorCode } from '#src/server/http/error-codes.ts';
import { bodyDeadlineMs } from '#src/server/http/read-body.ts';

let app: Hono;
let lines: Record<string, unknown>[];
let address: string;

beforeEach(() => {
  lines = [];
  address = '203.0.113.1';
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(JSON.parse(String(text))) > 0);
  app = new Hono();
  app.use((c, next) => runInRequest(createContext(c.req.method), next));
  app.use(cspReport('/csp-report'));
  app.notFound((c) => c.text('the rest of the app', 404));
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

function createContext(method: string): RequestContext {
  return makeRequest({ kind: 'other', method, path: '/csp-report', address });
}

function post(body: BodyInit, type: string, headers: Record<string, string> = {}): Promise<Response> {
  const init: RequestInit & { duplex?: 'half' } = {
    method: 'POST',
    body,
    headers: { 'content-type': type, ...headers },
    duplex: 'half',
  };
  return Promise.resolve(app.request('http://shop.test/csp-report', init));
}

const single = 'application/csp-report';
const list = 'application/reports+json';

/** As Chromium sends them. */
const byUri = {
  'csp-report': {
    'document-uri': 'http://shop.test/lab?secret=hunter2#fragment',
    referrer: '',
    'violated-directive': 'script-src-elem',
    'effective-directive': 'script-src-elem',
    'original-policy': "script-src 'self'",
    disposition: 'enforce',
    'blocked-uri': 'inline',
    'line-number': 12,
    'column-number': 3,
    'source-file': 'http://shop.test/lab?secret=hunter2',
    'status-code': 200,
    'script-sample': '',
  },
};
const violation = {
  blockedURL: 'https://evil.example/x.js?token=hunter2',
  documentURL: 'http://shop.test/',
  effectiveDirective: 'script-src-elem',
  disposition: 'enforce',
  statusCode: 200,
};

async function expectRefusal(response: Response, code: ErrorCode, detail: string): Promise<void> {
  const { status, message } = errorCodes[code];
  expect(response.status).toBe(status);
  expect(await response.json()).toEqual({ error: { code, message } });
  expect(lines).toEqual([
    expect.objectContaining({ level: 'warn', event: 'request-refused', code, status, detail, requestId: 'request' }),
  ]);
}

describe('a report', () => {
  it('by report-uri is one line, without the queries of its addresses', async () => {
    const response = await post(JSON.stringify(byUri), single);
    expect([response.status, await response.text()]).toEqual([204, '']);
    expect(lines).toEqual([
      {
        time: expect.any(String),
        level: 'warn',
        event: 'csp-violation',
        requestId: 'request',
        directive: 'script-src-elem',
        blocked: 'inline',
        page: 'http://shop.test/lab',
        source: 'http://shop.test/lab',
        line: 12,
        column: 3,
        count: 1,
      },
    ]);
  });

  it('by report-to is a line for each violation, with how often it came; other reports are left out', async () => {
    const reports = [
      { type: 'csp-violation', age: 1, body: violation },
      { type: 'deprecation', age: 1, body: { id: 'websql' } },
      { type: 'csp-violation', age: 2, body: violation },
      { type: 'csp-violation', age: 2, body: { ...violation, blockedURL: 'eval' } },
    ];
    expect((await post(JSON.stringify(reports), `${list}; charset=utf-8`)).status).toBe(204);
    expect(lines).toMatchObject([
      { directive: 'script-src-elem', blocked: 'https://evil.example/x.js', count: 2 },
      { blocked: 'eval', count: 1 },
    ]);
  });

  it('of many violations is ten lines that say how many more there were', async () => {
    const reports = Array.from({ length: 25 }, (_, line) => ({
      type: 'csp-violation',
      body: { ...violation, lineNumber: line },
    }));
    expect((await post(JSON.stringify(reports), list)).status).toBe(204);
    expect(lines).toHaveLength(10);
    expect(lines[9]).toMatchObject({ line: 9, leftOut: 15 });
  });

  it.each([
    [
      'long text',
      { effectiveDirective: 'x'.repeat(5000), blockedURL: 'y'.repeat(5000), documentURL: 'z'.repeat(5000) },
    ],
    ['other types', { effectiveDirective: {}, blockedURL: ['a'], documentURL: 7, lineNumber: '1', columnNumber: 1.5 }],
    ['names from the prototype', { __proto__: { effectiveDirective: 'x' }, constructor: 'y', sourceFile: null }],
    ['line ends and escapes', { blockedURL: 'a\n{"event":"forged"}\r\u001B[31m\0' }],
  ])('of %s is one short line', async (_name, body) => {
    vi.mocked(process.stderr.write).mockImplementation((text) => {
      expect(String(text).slice(0, -1)).not.toMatch(/\p{Cc}/u);
      expect(String(text).length).toBeLessThan(1000);
      return lines.push(JSON.parse(String(text))) > 0;
    });
    expect((await post(JSON.stringify([{ type: 'csp-violation', body }]), list)).status).toBe(204);
    expect(lines).toMatchObject([{ event: 'csp-violation', count: 1 }]);
  });
});

describe('anything else is refused with one line', () => {
  it.each(['GET', 'HEAD', 'PUT', 'OPTIONS'])('%s', async (method) => {
    const response = await app.request('http://shop.test/csp-report', { method });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
    expect(lines).toMatchObject([{ event: 'request-refused', code: 'wrong-method', method }]);
  });

  it.each([
    ['{', 400],
    ['', 400],
    ['null', 400],
    ['"text"', 400],
    ['{"csp-report":[]}', 400],
    ['{"type":"csp-violation","body":{}}', 400],
    ['['.repeat(30_000), 400],
  ])('what is no report: %.40s', async (body) => {
    await expectRefusal(await post(body, single), 'malformed-request', 'not a report');
  });

  it.each(['application/json', 'text/plain', 'multipart/form-data; boundary=x', 'application/x-www-form-urlencoded'])(
    'the type %s',
    async (type) => {
      await expectRefusal(await post(JSON.stringify(byUri), type), 'unsupported-type', type.replace(/;.*/, ''));
    },
  );

  it('a compressed body', async () => {
    const response = await post(JSON.stringify(byUri), single, { 'content-encoding': 'br' });
    await expectRefusal(response, 'unsupported-encoding', 'Content-Encoding: br');
  });

  it.each(['cross-site', 'same-site'])('a %s page', async (site) => {
    const response = await post(JSON.stringify(byUri), single, { 'sec-fetch-site': site });
    await expectRefusal(response, 'wrong-origin', `Sec-Fetch-Site: ${site}`);
  });

  it('a body that says it is too large, unread', async () => {
    const pull = vi.fn();
    const body = new ReadableStream({ pull }, { highWaterMark: 0 });
    const response = await post(body, single, { 'content-length': String(64 * 1024 + 1) });
    await expectRefusal(response, 'body-too-large', `Content-Length: ${64 * 1024 + 1}`);
    expect(pull).not.toHaveBeenCalled();
  });

  it('a body that turns out to be too large', async () => {
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 8192;
        controller.enqueue(new Uint8Array(8192));
      },
    });
    await expectRefusal(await post(body, single), 'body-too-large', `more than ${64 * 1024} bytes, undeclared`);
    expect(sent).toBeLessThan(128 * 1024);
  });

  it('a body that does not come', async () => {
    vi.useFakeTimers();
    const response = post(new ReadableStream(), single);
    await vi.advanceTimersByTimeAsync(bodyDeadlineMs);
    expect((await response).headers.get('connection')).toBe('close');
    await expectRefusal(await response, 'too-slow', 'the body did not arrive in time');
  });

  it('more than its share from one address, and not the others', async () => {
    vi.useFakeTimers();
    for (let n = 0; n < 10; n += 1) expect((await post('[]', list)).status).toBe(204);
    const refused = await post('[]', list);
    expect(refused.headers.get('retry-after')).toBe('2');
    await expectRefusal(refused, 'too-many-requests', 'too many reports');
    address = '203.0.113.2';
    expect((await post('[]', list)).status).toBe(204);
    address = '203.0.113.1';
    await vi.advanceTimersByTimeAsync(2000);
    expect((await post('[]', list)).status).toBe(204);
  });
});

it('other paths are not its business', async () => {
  expect(await (await app.request('/csp-report/x')).text()).toBe('the rest of the app');
});
