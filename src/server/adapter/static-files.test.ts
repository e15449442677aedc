import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

import { Hono } from 'hono';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';

import { indexStaticFiles, serveStaticFiles } from './static-files.ts';
import { compressFiles } from './precompressed-files.ts';

const script = 'export const words = "again and again";\n'.repeat(100);

/** Text that no compressor makes much smaller: every character is one of 64 Ki. */
function createNoise(length: number): string {
  let text = '';
  for (let round = 0; text.length < length; round += 1) {
    text += createHash('sha512').update(String(round)).digest('binary');
  }
  return text.slice(0, length);
}

const page = `<h1>large</h1><script>one()</script><script src="/a.js"></script><script id="b">two()</script>${'<p>row</p>'.repeat(200)}`;

const files: Record<string, string> = {
  'large/index.html': page,
  'assets/large-abc.js': script,
  'assets/tiny-abc.js': 'export {}',
  'assets/noise-abc.js': createNoise(2000),
  'index.html': '<h1>home</h1>',
  '404.html': '<h1>not found</h1>',
  'lab/index.html': '<h1>lab</h1>',
  'RSC/R/lab.txt': '0:{}',
  'assets/index-abc.js': 'export {}',
  'assets/index-abc.js.map': '{"secret":1}',
  'a b.svg': '<svg/>',
};

let app: Hono;
let precompressed: string;

function makeFolder(prefix: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), prefix));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

beforeEach(async () => {
  const folder = makeFolder('static-');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text, name.includes('noise') ? 'latin1' : 'utf8');
  }
  precompressed = makeFolder('precompressed-');
  await compressFiles(folder, precompressed);
  app = new Hono();
  app.use(serveStaticFiles(indexStaticFiles(folder, precompressed)));
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
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { code: 'not-found' } });
  });
});

describe('a file that compresses well', () => {
  async function ask(url: string, accepted: string, headers: Record<string, string> = {}) {
    const response = await app.request(url, { headers: { 'accept-encoding': accepted, ...headers } });
    return { response, body: Buffer.from(await response.arrayBuffer()) };
  }

  it.each([
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['br;q=0, gzip', 'gzip', gunzipSync],
    ['identity', null, (body: Buffer) => body],
  ])('is sent to a client that accepts %s as %s', async (accepted, encoding, unpack) => {
    const { response, body } = await ask('/assets/large-abc.js', accepted);
    expect(response.headers.get('content-encoding')).toBe(encoding);
    expect(response.headers.get('content-length')).toBe(String(body.byteLength));
    expect(response.headers.get('vary')).toBe('Accept-Encoding');
    expect(response.headers.get('accept-ranges')).toBe('none');
    expect(response.headers.get('cache-control')).toContain('immutable');
    expect(unpack(body).toString()).toBe(script);
    if (encoding) expect(body.byteLength).toBeLessThan(script.length / 2);
  });

  it('has an ETag for each encoding, and knows each by itself', async () => {
    const tags = await Promise.all(
      ['br', 'gzip', 'identity'].map(
        async (accepted) => (await ask('/large', accepted)).response.headers.get('etag') ?? '',
      ),
    );
    expect(new Set(tags).size).toBe(3);
    const [br = '', gzip = ''] = tags;
    expect((await ask('/large', 'br', { 'if-none-match': br })).response.status).toBe(304);
    expect((await ask('/large', 'br', { 'if-none-match': gzip })).response.status).toBe(200);
  });

  it.each([
    ['a list', (tag: string) => `"other", ${tag} ,"third"`, 304],
    ['a weak tag', (tag: string) => `W/${tag}`, 304],
    ['any', () => '*', 304],
    ['a part of the tag', (tag: string) => tag.slice(1, -1), 200],
    ['nothing', () => '', 200],
  ])('compares %s', async (_name, write, status) => {
    const first = await ask('/large', 'br');
    const { response, body } = await ask('/large', 'br', {
      'if-none-match': write(first.response.headers.get('etag') ?? ''),
    });
    expect(response.status).toBe(status);
    if (status !== 304) return;
    expect(body.byteLength).toBe(0);
    // The browser puts these in the place of those that it has kept.
    for (const name of ['content-security-policy', 'content-type', 'cache-control', 'vary', 'etag']) {
      expect(response.headers.get(name), name).toBe(first.response.headers.get(name));
    }
  });

  it('is sent whole to a client that asks for a part', async () => {
    const { response, body } = await ask('/assets/large-abc.js', 'identity', { range: 'bytes=0-9' });
    expect([response.status, body.byteLength]).toEqual([200, script.length]);
  });

  it('answers HEAD as GET', async () => {
    const headers = { 'accept-encoding': 'br' };
    const [get, head] = [await ask('/large', 'br'), await app.request('/large', { method: 'HEAD', headers })];
    expect(await head.text()).toBe('');
    expect([...head.headers]).toEqual([...get.response.headers]);
  });

  it('has precompressed variants that cannot be asked for, and those alone that are worth it', async () => {
    const names = readdirSync(precompressed);
    expect(names.length).toBe(4);
    for (const name of names) {
      expect(await (await app.request(`/${name}`)).text()).toBe('rendered');
    }
    for (const url of ['/assets/large-abc.js.br', '/assets/large-abc.js.gz']) {
      expect((await app.request(url)).status).toBe(404);
    }
  });

  it.each(['/assets/tiny-abc.js', '/assets/noise-abc.js'])('is not %s', async (url) => {
    const { response } = await ask(url, 'br, gzip');
    expect([response.headers.get('content-encoding'), response.headers.get('vary')]).toEqual([null, null]);
  });
});

describe('the policy of a static page', () => {
  it('names its own scripts by their hashes and no others', async () => {
    const policy = (await app.request('/large')).headers.get('content-security-policy') ?? '';
    const scripts = /script-src ([^;]*);/.exec(policy)?.[1];
    const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    expect(scripts).toBe(`'self' ${hash('one()')} ${hash('two()')}`);
  });

  it('is only on pages', async () => {
    for (const url of ['/assets/large-abc.js', '/RSC/R/lab.txt']) {
      expect((await app.request(url)).headers.has('content-security-policy'), url).toBe(false);
    }
  });

  it('refuses to start with more scripts than fit into a header', () => {
    const folder = makeFolder('static-');
    const scripts = Array.from({ length: 41 }, (_, n) => `<script>run(${n})</script>`);
    writeFileSync(path.join(folder, 'index.html'), scripts.join(''));
    expect(() => indexStaticFiles(folder, folder)).toThrow('The prerendered page / has 41 inline scripts');
  });
});
