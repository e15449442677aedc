import { createServer, request, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { Transform } from 'node:stream';
import {
  brotliCompressSync,
  brotliDecompressSync,
  createGzip,
  deflateRawSync,
  deflateSync,
  gunzipSync,
  gzipSync,
  inflateSync,
  zstdCompressSync,
  zstdDecompressSync,
} from 'node:zlib';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { createProxy, type Proxy } from '../create-proxy.ts';

const page = `<!DOCTYPE html><html><head><title>Shop</title></head><body>${'<p>äöü</p>'.repeat(2_000)}</body></html>`;
const tag = /<script[^]*?<\/script>/;
const script = 'start({"to":"/_fr"});';
const secondPart = 'export const more = 1';

type Answer = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: Buffer };

let app: Server;
let answerOfApp: (outgoing: ServerResponse) => void;
let proxy: Proxy;
let port: number;
let said: string[];

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

beforeEach(async () => {
  said = [];
  app = createServer((_, outgoing) => answerOfApp(outgoing));
  proxy = createProxy({
    to: `http://127.0.0.1:${await listen(app)}`,
    watch: () => ({ id: 'f'.repeat(32), response: () => true, body: () => undefined, end: () => undefined }),
    pageScript: {
      path: '/_fr',
      script: `${script}import(FLIGHT_SECOND_PART)`,
      secondPart,
      respectsPrivacySignal: true,
      say: (line) => said.push(line),
      receive: (incoming, outgoing) => outgoing.writeHead(200).end(`${incoming.method} ${incoming.url}`),
    },
  });
  port = await proxy.listen(0, '127.0.0.1');
});

afterEach(async () => {
  vi.restoreAllMocks();
  proxy.server.closeAllConnections();
  await proxy.drain(100);
  app.closeAllConnections();
  app.close();
});

function ask(headers: Record<string, string> = {}, path = '/', method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request({ port, host: '127.0.0.1', path, method, headers }, (incoming) => {
      const pieces: Buffer[] = [];
      incoming.on('data', (piece: Buffer) => pieces.push(piece));
      incoming.on('error', reject);
      incoming.on('end', () =>
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: Buffer.concat(pieces) }),
      );
    });
    asked.on('error', reject).end();
  });
}

function send(headers: Record<string, string>, body: string | Uint8Array, status = 200): void {
  answerOfApp = (outgoing) => void outgoing.writeHead(status, { 'content-type': 'text/html', ...headers }).end(body);
}

function cutAt(text: string, part: string): [before: string, after: string] {
  const at = text.indexOf(part) + part.length;
  return [text.slice(0, at), text.slice(at)];
}

describe('a page', () => {
  it.each([
    ['', (body: Buffer) => body, (text: string) => Buffer.from(text)],
    ['gzip', gunzipSync, gzipSync],
    ['x-gzip', gunzipSync, gzipSync],
    ['br', brotliDecompressSync, brotliCompressSync],
    ['zstd', zstdDecompressSync, zstdCompressSync],
    ['deflate', inflateSync, deflateSync],
    ['deflate', inflateSync, deflateRawSync],
  ])('has one script more where its head begins, compressed as %s', async (coding, unpack, pack) => {
    const packed = pack(page);
    const headers = { 'content-length': String(packed.length), etag: '"a"', 'accept-ranges': 'bytes' };
    send({ ...headers, ...(coding === '' ? {} : { 'content-encoding': coding }) }, packed);
    const answer = await ask();
    const text = unpack(answer.body).toString();
    // Of gzip the page goes on as it is, behind a beginning of ours (prepend-packed.ts).
    const [before, after] = coding.endsWith('gzip') ? ['<!DOCTYPE html>', page] : cutAt(page, '<head>');
    expect(text.replace(tag, '')).toBe(before + after);
    expect(text.indexOf('<script')).toBe(before.length);
    expect(answer.headers).toMatchObject({ etag: 'W/"a"', 'server-timing': `flight;desc="${'f'.repeat(32)}"` });
    expect(answer.headers['content-encoding'] ?? '').toBe(coding);
    expect(answer.headers).not.toHaveProperty('content-length');
    expect(answer.headers).not.toHaveProperty('accept-ranges');
    expect(said).toEqual([]);
  });

  it('in gzip that React did not write is packed again', async () => {
    const other = page.replace('<head>', '\n<head>\n');
    send({ 'content-encoding': 'gzip' }, gzipSync(other));
    const text = gunzipSync((await ask()).body).toString();
    const [before, after] = cutAt(other, '<head>');
    expect([text.replace(tag, ''), text.indexOf('<script')]).toEqual([before + after, before.length]);
    // Too little to say what it is.
    send({ 'content-encoding': 'gzip' }, gzipSync('<!DOCTYPE html><ht'));
    expect(gunzipSync((await ask()).body).toString()).toBe('<!DOCTYPE html><ht');
    send({ 'content-encoding': 'gzip' }, Buffer.from([0x1f, 0x8b]));
    await expect(ask()).rejects.toThrow();
  });

  it('has the nonce of its policy, and names a script that is there', async () => {
    send({ 'content-security-policy': "script-src 'nonce-aB3='" }, page);
    const [found = ''] = tag.exec((await ask()).body.toString()) ?? [];
    expect(found).toContain('<script nonce="aB3=">');
    const [source = ''] = /\/_fr\/[\da-f]{12}\.js/.exec(found) ?? [];
    const served = await ask({}, source);
    const whole = served.body.toString();
    expect([whole, served.headers['cache-control']]).toEqual([
      expect.stringContaining(script),
      expect.stringContaining('immutable'),
    ]);
    const packed = await ask({ 'accept-encoding': 'gzip, br' }, '/_fr/of-yesterday.js');
    expect([gunzipSync(packed.body).toString(), packed.headers['cache-control']]).toEqual([whole, 'no-cache']);
    const [, second = ''] = /import\("(\/_fr\/second-[\da-f]{12}\.js)"\)/.exec(whole) ?? [];
    const more = await ask({}, second);
    expect([more.body.toString(), more.headers['cache-control']]).toEqual([
      secondPart,
      expect.stringContaining('immutable'),
    ]);
  });

  it('is sent as it comes, packed or not', async () => {
    for (const coding of ['gzip', 'identity']) {
      const gzip: Transform | undefined = coding === 'gzip' ? createGzip() : undefined;
      let release: (() => void) | undefined;
      answerOfApp = (outgoing) => {
        outgoing.writeHead(200, { 'content-type': 'text/html', 'content-encoding': coding });
        const out = gzip ?? outgoing;
        gzip?.pipe(outgoing);
        out.write('<html><head><title>1</title>');
        if (gzip && 'flush' in gzip && typeof gzip.flush === 'function') gzip.flush();
        release = () => void out.end('<body>2');
      };
      const socket = connect(port, '127.0.0.1');
      socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
      const pieces: Buffer[] = [];
      socket.on('data', (piece) => pieces.push(piece));
      await vi.waitFor(() => expect(Buffer.concat(pieces).indexOf('\r\n\r\n')).toBeGreaterThan(0));
      // The first part is there while the app has not said the rest.
      await vi.waitFor(() => expect(Buffer.concat(pieces).length).toBeGreaterThan(500));
      release?.();
      await new Promise((resolve) => socket.on('close', resolve));
    }
  });

  it('that the app breaks off is broken off', async () => {
    vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const packed = gzipSync(page);
    answerOfApp = (outgoing) => {
      outgoing.writeHead(200, {
        'content-type': 'text/html',
        'content-encoding': 'gzip',
        'content-length': packed.length,
      });
      outgoing.write(packed.subarray(0, -20), () => outgoing.destroy());
    };
    await expect(ask()).rejects.toThrow();
    // What ends in order and is damaged is not whole either, and goes on as it is where nothing of it is read.
    send({ 'content-encoding': 'br' }, brotliCompressSync(page).subarray(0, -9));
    await expect(ask()).rejects.toThrow();
    send({ 'content-encoding': 'gzip' }, packed.subarray(0, -20));
    const { body } = await ask();
    expect(() => gunzipSync(body)).toThrow('unexpected end of file');
  });
});

describe('an answer stays as it is, byte for byte,', () => {
  const csp = 'content-security-policy';
  it.each([
    [
      'where its policy forbids it',
      { [csp]: "connect-src 'none'" },
      {},
      '/: connect-src of its Content-Security-Policy forbids it',
    ],
    ['in a coding that nobody knows', { 'content-encoding': 'dcb' }, {}, '/: it is compressed as dcb'],
    ['that nobody may change', { 'cache-control': 'no-transform' }, {}, '/: its Cache-Control says no-transform'],
    ['that is signed', { 'content-digest': 'sha-256=:x:' }, {}, '/: it has a content-digest'],
    ['that is no page', { 'content-type': 'text/x-component' }, {}, undefined],
    ['in UTF-16', { 'content-type': 'text/html; charset=utf-16le' }, {}, undefined],
    ['that is stored', { 'content-disposition': 'attachment' }, {}, undefined],
    ['that a script asked for', {}, { 'sec-fetch-dest': 'empty' }, undefined],
    ['for a visitor who wants none', {}, { 'sec-gpc': '1' }, undefined],
  ])('%s', async (_, headers, asked, line) => {
    send({ 'content-length': String(Buffer.byteLength(page)), etag: '"a"', ...headers }, page);
    await ask(asked);
    const answer = await ask(asked);
    expect(answer.body.toString()).toBe(page);
    expect(answer.headers).toMatchObject({ etag: '"a"', 'content-length': String(Buffer.byteLength(page)) });
    expect(said).toEqual(line === undefined ? [] : [`--browser adds nothing to ${line}`]);
  });

  it('in its body where it is a piece of a page; that is said once', async () => {
    send({}, '<div><head></div>');
    expect((await ask()).body.toString()).toBe('<div><head></div>');
    await ask();
    expect(said).toEqual(['--browser adds nothing to answers of text/html without a <head>']);
  });
});

it('takes what the script sends, and nothing else', async () => {
  send({ 'content-type': 'text/plain' }, 'app');
  const bodies = [];
  for (const [path, method] of [
    ['/_fr', 'POST'],
    ['/_fr/used', 'POST'],
    ['/_fright', 'POST'],
    ['/_fr', 'GET'],
  ]) {
    bodies.push((await ask({}, path, method)).body.toString());
  }
  expect(bodies).toEqual(['POST /_fr', 'POST /_fr/used', 'app', 'GET /_fr']);
});
