import { Hono } from 'hono';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { readServerSettings, serverSettings } from '#src/server/http/server-settings.ts';

import { loginOffNotice } from './login-off-notice.ts';

vi.mock('#src/server/http/server-settings.ts', { spy: true });

const html = '<!DOCTYPE html><html><head><title>x</title></head><body class="a"><main>text</main></body></html>';
const asked: Headers[] = [];

const app = new Hono();
app.use(loginOffNotice());
app.get('/page', (c) => {
  asked.push(c.req.raw.headers);
  return c.body(html, 200, {
    'content-type': 'text/html; charset=utf-8',
    etag: '"x"',
    'content-length': `${html.length}`,
  });
});
app.get('/bytes', (c) => {
  const stream = new ReadableStream({
    start(controller) {
      for (const byte of Buffer.from(html)) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    },
  });
  return c.body(stream, 200, { 'content-type': 'text/html' });
});
app.get('/bare', (c) => c.html('no body element'));
app.get('/json', (c) => c.json({ body: '<body>' }));

function set(auth: 'on' | 'off'): void {
  vi.mocked(serverSettings).mockReturnValue(readServerSettings({ FLIGHT_AUTH: auth }));
}

beforeEach(() => {
  asked.length = 0;
  set('off');
});

afterEach(() => vi.restoreAllMocks());

async function read(path: string): Promise<string> {
  const headers = { accept: 'text/html', 'accept-encoding': 'br, gzip', 'if-none-match': '"x"' };
  return (await app.request(path, { headers })).text();
}

it.each(['/page', '/bytes'])('stands once, first in the body of %s, and the rest is as it was', async (path) => {
  const text = await read(path);
  expect(text.match(/<flight-login-off role="note">[^<]+<\/flight-login-off>/g)).toHaveLength(1);
  expect(text.replace(/<flight-login-off.*<\/flight-login-off>/, '')).toBe(html);
  expect(text.indexOf('<flight-login-off')).toBe(text.indexOf('<main>') - (text.length - html.length));
});

it('stands in HTML that has no body element too', async () => {
  expect(await read('/bare')).toMatch(/^no body element<flight-login-off/);
});

it('is asked for whole: neither packed, nor what the browser kept from when the login was on', async () => {
  const response = await app.request('/page', {
    headers: { accept: 'text/html', 'accept-encoding': 'br, gzip', 'if-none-match': '"x"', cookie: 'a=b' },
  });
  expect([...(asked[0]?.keys() ?? [])].toSorted()).toEqual(['accept', 'cookie']);
  expect(response.headers.get('etag')).toBeNull();
  expect(response.headers.get('content-length')).toBeNull();
  expect(response.headers.get('cache-control')).toBe('private, no-store');
});

it('is nowhere else', async () => {
  expect(await read('/json')).toBe('{"body":"<body>"}');
  set('on');
  expect(await read('/page')).toBe(html);
  expect(asked.at(-1)?.get('if-none-match')).toBe('"x"');
});
