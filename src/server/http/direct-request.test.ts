import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';

import { describe, expect, it } from 'vitest';

import { isDirectRequest, noteForwarded } from './direct-request.ts';

type Given = { readonly address?: string; readonly headers?: Readonly<Record<string, string>> };

function createRequest({ address = '127.0.0.1', headers = {} }: Given = {}): IncomingMessage {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: address });
  const incoming = new IncomingMessage(socket);
  Object.assign(incoming.headers, { host: '127.0.0.1:3000', ...headers });
  return incoming;
}

const plain = { baseUrl: undefined, trustedProxies: [] };

describe('a request from this machine', () => {
  it.each(['127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1'])('is one from %s', (address) => {
    expect(isDirectRequest(createRequest({ address }), plain)).toBe(true);
  });

  it.each(['localhost:3000', '[::1]:3000', '127.0.0.1', 'localhost'])('names %s', (host) => {
    expect(isDirectRequest(createRequest({ headers: { host } }), plain)).toBe(true);
  });

  it('may have an address for people that is this machine, too', () => {
    const settings = { baseUrl: new URL('http://localhost:3000'), trustedProxies: [] };
    expect(isDirectRequest(createRequest(), settings)).toBe(true);
  });
});

describe('a request that may be anybody’s', () => {
  it.each(['10.0.0.1', '203.0.113.9', '::2', '128.0.0.1', '', 'unix'])('comes from %j', (address) => {
    expect(isDirectRequest(createRequest({ address }), plain)).toBe(false);
  });

  it('had a header of a proxy or of an app, which was removed', () => {
    const request = createRequest();
    noteForwarded(request);
    expect(isDirectRequest(request, plain)).toBe(false);
  });

  it.each(['forwarded', 'x-forwarded-for', 'x-forwarded-anything', 'x-real-ip', 'x-flight-visitor'])(
    'still has %s, in development',
    (name) => {
      expect(isDirectRequest(createRequest({ headers: { [name]: 'x' } }), plain)).toBe(false);
    },
  );

  it.each(['via', 'cf-connecting-ip', 'true-client-ip', 'x-client-ip', 'x-original-url', 'x-forwarded', 'cdn-loop'])(
    'has %s',
    (name) => {
      expect(isDirectRequest(createRequest({ headers: { [name]: 'x' } }), plain)).toBe(false);
    },
  );

  it.each(['flight.example', 'flight.example:3000', '127.0.0.1.flight.example', 'a@b@127.0.0.1', ''])(
    'names %j as its host',
    (host) => {
      expect(isDirectRequest(createRequest({ headers: { host } }), plain)).toBe(false);
    },
  );

  it('comes to a server that has a proxy, which may say nothing of itself', () => {
    expect(isDirectRequest(createRequest(), { ...plain, trustedProxies: ['127.0.0.1/32'] })).toBe(false);
    expect(isDirectRequest(createRequest(), { ...plain, baseUrl: new URL('https://flight.example') })).toBe(false);
  });
});
