import {
  createServer,
  get as httpGet,
  IncomingMessage,
  ServerResponse,
  type OutgoingHttpHeaders,
  type Server,
} from 'node:http';
import { Socket, type AddressInfo } from 'node:net';
import { createGunzip, gunzipSync } from 'node:zlib';

import { getRequestListener } from '@hono/node-server';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { answerFailure } from '#src/runtime/errors/answer-thrown.ts';
import { toResponse, type Body, type Sink } from '#src/server/http/body.ts';

import { keepBody, sendDirectly } from './direct-responses.ts';
import { markBodyless } from './mark-bodyless.ts';

const plainRequest = new Request('http://localhost/');

/** Development says what failed; these are about the server that visitors meet. */
beforeEach(() => void vi.stubEnv('DEV', false));

afterEach(() => void vi.unstubAllEnvs());

function createBody() {
  return {
    start: vi.fn<Body['start']>(() => ({ bytes: Buffer.from('page'), isComplete: true })),
    resume: vi.fn(),
    cancel: vi.fn(),
  };
}

function createEnv() {
  const outgoing = new ServerResponse(new IncomingMessage(new Socket()));
  return { outgoing, writeHead: vi.spyOn(outgoing, 'writeHead'), end: vi.spyOn(outgoing, 'end') };
}

describe('sendDirectly', () => {
  it('sends a kept body with the status and headers that the middleware left, cookies apart', async () => {
    const env = createEnv();
    const body = createBody();
    const response = toResponse(body, { status: 404, headers: { 'content-type': 'text/html' } });
    keepBody(response, 'GET', env);
    response.headers.set('x-request-id', 'abc');
    response.headers.append('set-cookie', 'a=1');
    response.headers.append('set-cookie', 'b=2');
    expect((await sendDirectly(response, plainRequest, env, answerFailure)).headers.has('x-hono-already-sent')).toBe(
      true,
    );
    expect(env.writeHead).toHaveBeenCalledExactlyOnceWith(404, {
      'content-type': 'text/html',
      vary: 'Accept-Encoding',
      'x-request-id': 'abc',
      'set-cookie': ['a=1', 'b=2'],
      'content-length': 4,
    });
    expect(env.end).toHaveBeenCalledOnce();
  });

  it('sends a response that a middleware rebuilt around the same body', async () => {
    const env = createEnv();
    const response = toResponse(createBody(), { status: 200 });
    keepBody(response, 'GET', env);
    await sendDirectly(new Response(response.body, { status: 203 }), plainRequest, env, answerFailure);
    expect(env.writeHead).toHaveBeenCalledExactlyOnceWith(203, { 'content-length': 4 });
  });

  it('leaves a response alone whose body a middleware replaced', async () => {
    const env = createEnv();
    const body = createBody();
    keepBody(toResponse(body, { status: 200 }), 'GET', env);
    const other = new Response('compressed', { headers: { 'content-length': '10' } });
    expect(await sendDirectly(other, plainRequest, env, answerFailure)).toBe(other);
    expect(env.writeHead).not.toHaveBeenCalled();
    expect(body.start).not.toHaveBeenCalled();
  });

  it('leaves everything to Hono where there is no response of Node’s', async () => {
    const response = toResponse(createBody(), { status: 200 });
    keepBody(response, 'GET', {});
    expect(await sendDirectly(response, plainRequest, {}, answerFailure)).toBe(response);
    expect(await response.text()).toBe('page');
  });
});

describe('keepBody', () => {
  it('stops the rendering of a page that is asked for with HEAD', async () => {
    const env = createEnv();
    const body = createBody();
    const response = toResponse(body, { status: 200 });
    keepBody(response, 'HEAD', env);
    expect(body.cancel).toHaveBeenCalledOnce();
    const head = new Response(null, response);
    expect(await sendDirectly(head, plainRequest, env, answerFailure)).toBe(head);
  });
});

describe('markBodyless', () => {
  it('takes the body’s getter from a GET and leaves a POST its body', async () => {
    const read = vi.fn(() => null);
    const get = Object.defineProperty(new Request('http://localhost/'), 'body', { get: read, configurable: true });
    markBodyless(get);
    expect(get.body).toBeNull();
    expect(read).not.toHaveBeenCalled();
    const post = new Request('http://localhost/', { method: 'POST', body: 'text' });
    markBodyless(post);
    expect(await post.text()).toBe('text');
  });
});

describe('over a real connection', () => {
  let server: Server | undefined;

  afterEach(async () => {
    server?.closeAllConnections();
    await new Promise((resolve) => server?.close(resolve) ?? resolve(undefined));
    server = undefined;
    vi.restoreAllMocks();
  });

  /** Serves what `respond` gives, as the adapter does. */
  async function serve(respond: () => Response): Promise<number> {
    async function answer(request: Request, env: object): Promise<Response> {
      const response = respond();
      keepBody(response, request.method, env);
      return sendDirectly(response, request, env, answerFailure);
    }
    const started = createServer(getRequestListener(answer));
    server = started;
    await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
    const { port }: AddressInfo = Object(started.address());
    return port;
  }

  async function ask(port: number, headers: OutgoingHttpHeaders = {}): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      httpGet({ port, host: '127.0.0.1', headers }, resolve).on('error', reject);
    });
  }

  async function readAll(response: IncomingMessage): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(Buffer.from(chunk));
    return Buffer.concat(chunks);
  }

  const long = 'words that come again and again, '.repeat(100);
  const html = { 'content-type': 'text/html; charset=utf-8' };

  function createSlowPage() {
    const started = Promise.withResolvers<Sink>();
    const body = {
      start: vi.fn<Body['start']>((sink) => {
        started.resolve(sink);
        return { bytes: Buffer.from('first part,'), isComplete: false };
      }),
      resume: vi.fn(),
      cancel: vi.fn(),
    };
    return { body, sink: started.promise };
  }

  it('a slow page can be unpacked up to its first part before its last is written', async () => {
    const { body, sink } = createSlowPage();
    const port = await serve(() => toResponse(body, { headers: html }));
    const response = await ask(port, { 'accept-encoding': 'gzip' });
    expect(response.headers['content-encoding']).toBe('gzip');
    let seen = '';
    const unpacked = response.pipe(createGunzip()).on('data', (text) => (seen += String(text)));
    await vi.waitFor(() => expect(seen).toBe('first part,'));
    (await sink).end(Buffer.from(' last part'));
    await new Promise((resolve) => unpacked.on('end', resolve));
    expect(seen).toBe('first part, last part');
  });

  it('a page is cancelled when its reader leaves in the middle of a compressed stream', async () => {
    const { body } = createSlowPage();
    const port = await serve(() => toResponse(body, { headers: html }));
    const response = await ask(port, { 'accept-encoding': 'gzip' });
    await new Promise((resolve) => response.once('data', resolve));
    response.destroy();
    await vi.waitFor(() => expect(body.cancel).toHaveBeenCalledOnce());
  });

  it('an ordinary response is compressed too, with its length', async () => {
    const port = await serve(() => new Response(long, { headers: html }));
    const response = await ask(port, { 'accept-encoding': 'gzip' });
    const bytes = await readAll(response);
    expect(response.headers).toMatchObject({
      'content-encoding': 'gzip',
      vary: 'Accept-Encoding',
      'content-length': String(bytes.byteLength),
    });
    expect(gunzipSync(bytes).toString()).toBe(long);
  });

  it.each<[string, string | undefined, Record<string, string>, string]>([
    ['nothing was said', undefined, html, long],
    ['gzip is refused', 'gzip;q=0', html, long],
    ['only Brotli is accepted', 'br', html, long],
    ['it is small', 'gzip', html, 'short'],
    ['it is an image', 'gzip', { 'content-type': 'image/png' }, long],
    ['it is a stream of events', 'gzip', { 'content-type': 'text/event-stream' }, long],
    ['it must not be transformed', 'gzip', { ...html, 'cache-control': 'private, no-transform' }, long],
    ['it is encoded already', 'gzip', { ...html, 'content-encoding': 'zstd' }, long],
    ['its bytes have an ETag', 'gzip', { ...html, etag: '"abc"' }, long],
  ])('a response stays as it is when %s', async (_name, accepted, headers, text) => {
    const port = await serve(() => new Response(text, { headers }));
    const response = await ask(port, accepted === undefined ? {} : { 'accept-encoding': accepted });
    expect(response.headers['content-encoding']).toBe(headers['content-encoding']);
    expect((await readAll(response)).toString()).toBe(text);
  });

  it('adds to what the answer depends on already', async () => {
    const port = await serve(() => new Response(long, { headers: { ...html, vary: 'Cookie' } }));
    const response = await ask(port);
    expect(response.headers.vary).toBe('Cookie, Accept-Encoding');
    await readAll(response);
  });

  it('a stream that fails at once is a failure with a digest, and its message stays here', async () => {
    vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const port = await serve(() => {
      const stream = new ReadableStream({ start: (controller) => controller.error(new Error('canary')) });
      return new Response(stream, { headers: { ...html, 'x-request-id': 'abc' } });
    });
    const response = await ask(port);
    expect(response.statusCode).toBe(500);
    expect(response.headers).toMatchObject({
      'x-request-id': 'abc',
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(response.headers['x-flight-digest']).toMatch(/^[0-9A-Z]{10}$/);
    expect((await readAll(response)).toString()).toMatch(
      /^The server failed to answer this request\.\nDigest: [0-9A-Z]{5}-[0-9A-Z]{5}\n$/,
    );
  });

  it('a stream that fails later breaks the connection without its message', async () => {
    let controller: ReadableStreamDefaultController | undefined;
    const port = await serve(() => {
      const stream = new ReadableStream({
        start(given) {
          controller = given;
          given.enqueue(Buffer.from('first part'));
        },
      });
      return new Response(stream, { headers: html });
    });
    const response = await ask(port);
    let seen = '';
    response.on('data', (text) => (seen += String(text)));
    const broken = new Promise<Error>((resolve) => response.on('error', resolve));
    await vi.waitFor(() => expect(seen).toBe('first part'));
    controller?.error(new Error('canary'));
    expect(Reflect.get(await broken, 'code')).toBe('ECONNRESET');
    expect(seen).toBe('first part');
  });
});
