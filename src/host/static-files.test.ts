import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { Hono } from 'hono';
import { beforeEach, describe, expect, it } from 'vitest';

import { indexStaticFiles, serveStaticFiles } from './static-files.ts';

const files: Record<string, string> = {
  'index.html': '<h1>home</h1>',
  '404.html': '<h1>not found</h1>',
  'lab/index.html': '<h1>lab</h1>',
  'RSC/R/lab.txt': '0:{}',
  'assets/index-abc.js': 'export {}',
  'assets/index-abc.js.map': '{"secret":1}',
  'a b.svg': '<svg/>',
};

let app: Hono;

beforeEach(() => {
  const folder = mkdtempSync(path.join(tmpdir(), 'static-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  app = new Hono();
  app.use(serveStaticFiles(indexStaticFiles(folder, path.join(folder, 'no-twins'))));
  app.all('*', (c) => c.text('rendered', 200));
});

describe('a static page', () => {
  it.each([
    ['/', 'home'],
    ['/lab', 'lab'],
    ['/lab/', 'lab'],
  ])('is served at %s, and says that it is static', async (url, text) => {
    const response = await app.request(url);
    expect(await response.text()).toBe(`<h1>${text}</h1>`);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('x-flight-page')).toBe('static');
    expect(response.headers.get('cache-control')).toBe('private, no-cache');
  });

  it('is not sent twice to a browser that has it', async () => {
    const etag = (await app.request('/lab')).headers.get('etag') ?? '';
    const again = await app.request('/lab', { headers: { 'if-none-match': etag } });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
  });

  it('answers HEAD with its length and no body', async () => {
    const response = await app.request('/lab', { method: 'HEAD' });
    expect([response.headers.get('content-length'), await response.text()]).toEqual(['12', '']);
  });

  it('leaves other methods, and the not-found page, to the app', async () => {
    expect(await (await app.request('/lab', { method: 'POST' })).text()).toBe('rendered');
    expect(await (await app.request('/404')).text()).toBe('rendered');
    expect(await (await app.request('/unknown')).text()).toBe('rendered');
  });

  it('has a payload that says so too', async () => {
    const response = await app.request('/RSC/R/lab.txt');
    expect(response.headers.get('content-type')).toBe('text/x-component; charset=utf-8');
    expect(response.headers.get('x-flight-page')).toBe('static');
  });
});

describe('an asset', () => {
  it('is immutable', async () => {
    const response = await app.request('/assets/index-abc.js');
    expect(response.headers.get('cache-control')).toContain('immutable');
    expect(response.headers.get('content-type')).toContain('javascript');
  });

  it('with a space in its name is found by its encoded path', async () => {
    expect(await (await app.request('/a%20b.svg')).text()).toBe('<svg/>');
  });

  it.each(['/assets/gone.js', '/assets/index-abc.js.map'])('that is not there (%s) is a short 404', async (url) => {
    const response = await app.request(url);
    expect([response.status, await response.text()]).toEqual([404, 'Not found\n']);
  });
});
