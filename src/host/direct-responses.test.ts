import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

import { describe, expect, it, vi } from 'vitest';

import { toResponse, type Body } from '#src/runtime/renderer/body.ts';

import { keepBody, markBodyless, sendDirectly } from './direct-responses.ts';

const plainRequest = new Request('http://localhost/');

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
    expect((await sendDirectly(response, plainRequest, env)).headers.has('x-hono-already-sent')).toBe(true);
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
    await sendDirectly(new Response(response.body, { status: 203 }), plainRequest, env);
    expect(env.writeHead).toHaveBeenCalledExactlyOnceWith(203, { 'content-length': 4 });
  });

  it('leaves a response alone whose body a middleware replaced', async () => {
    const env = createEnv();
    const body = createBody();
    keepBody(toResponse(body, { status: 200 }), 'GET', env);
    const other = new Response('compressed', { headers: { 'content-length': '10' } });
    expect(await sendDirectly(other, plainRequest, env)).toBe(other);
    expect(env.writeHead).not.toHaveBeenCalled();
    expect(body.start).not.toHaveBeenCalled();
  });

  it('leaves everything to Hono where there is no response of Node’s', async () => {
    const response = toResponse(createBody(), { status: 200 });
    keepBody(response, 'GET', {});
    expect(await sendDirectly(response, plainRequest, {})).toBe(response);
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
    expect(await sendDirectly(head, plainRequest, env)).toBe(head);
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
