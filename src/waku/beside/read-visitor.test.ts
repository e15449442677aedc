import { createServer, IncomingMessage, request as startRequest, type Server } from 'node:http';
import { Socket, type AddressInfo } from 'node:net';

import { afterEach, expect, it } from 'vitest';

import type { Visitor } from '#src/server/http/visitor.ts';

import { createVisitorReader, type VisitorRules } from './read-visitor.ts';

const open: VisitorRules = { isOpenHere: true, trustedProxies: [], baseUrl: undefined };

let server: Server | undefined;

afterEach(() => {
  server?.close();
});

function isInfo(address: AddressInfo | string | null | undefined): address is AddressInfo {
  return typeof address === 'object' && address !== null;
}

/** Who a request is from that comes from this machine to a server that listens on `listen`. */
async function visit(rules: VisitorRules, headers: Record<string, string>, listen = '127.0.0.1'): Promise<Visitor> {
  const read = createVisitorReader(rules);
  const visitor = Promise.withResolvers<Visitor>();
  server = createServer((incoming, outgoing) => {
    visitor.resolve(read(incoming));
    outgoing.end();
  });
  await new Promise<void>((resolve) => server?.listen(0, listen, resolve));
  const address = server.address();
  if (!isInfo(address)) throw new Error('no port');
  startRequest({ host: '127.0.0.1', port: address.port, headers: { host: `localhost:${address.port}`, ...headers } })
    .on('response', (response) => response.resume())
    .end();
  return visitor.promise;
}

it.each(['localhost:3000', '127.0.0.1', '[::1]:3000'])('at this machine by %s needs no login', async (host) => {
  expect(await visit(open, { host })).toEqual({ host, address: '127.0.0.1', protocol: 'http', isLocal: true });
});

it.each([
  { host: 'evil.example:3000' },
  { host: 'localhost.evil.example' },
  { host: '192.168.0.7:3000' },
  { host: '127.0.0.1@evil.example' },
  { 'x-forwarded-for': '127.0.0.1' },
  { 'x-forwarded-host': 'localhost' },
  { forwarded: 'for=127.0.0.1' },
  { via: '1.1 tunnel' },
])('needs a login with %j: another name, or a proxy on this machine', async (headers) => {
  expect(await visit(open, headers)).toMatchObject({ isLocal: false });
});

it('needs a login where the app listens for other machines, and in production', async () => {
  expect(await visit(open, {}, '0.0.0.0')).toMatchObject({ isLocal: false });
  expect(await visit({ ...open, isOpenHere: false }, {})).toMatchObject({ isLocal: false });
});

it('needs a login from another machine, whatever the app’s server says of itself', () => {
  const socket = Object.assign(new Socket(), { server: { address: () => ({ address: '127.0.0.1' }) } });
  const incoming = Object.assign(new IncomingMessage(socket), { headers: { host: 'localhost' } });
  for (const [address, isLocal] of [
    ['::ffff:127.0.0.1', true],
    ['192.168.0.7', false],
  ] as const) {
    Object.defineProperty(socket, 'remoteAddress', { value: address, configurable: true });
    expect(createVisitorReader(open)(incoming).isLocal).toBe(isLocal);
  }
});

const claimed = { host: 'shop.example', 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' };

it('is by address and protocol what a proxy says that was named, and nobody else', async () => {
  const unnamed = { ...open, isOpenHere: false };
  expect(await visit(unnamed, claimed)).toMatchObject({ address: '127.0.0.1', protocol: 'http' });
  const named = { ...unnamed, trustedProxies: ['127.0.0.0/8'] };
  expect(await visit(named, claimed)).toMatchObject({ address: '203.0.113.9', protocol: 'https' });
  expect(await visit(named, { ...claimed, 'x-forwarded-proto': 'https, http' })).toMatchObject({ protocol: 'http' });
});

it('comes by https where the form that they send was shown by https', async () => {
  const rules = { ...open, isOpenHere: false };
  const host = 'shop.example';
  expect(await visit(rules, { host, origin: 'https://shop.example' })).toMatchObject({ protocol: 'https' });
  expect(await visit(rules, { host, origin: 'https://evil.example' })).toMatchObject({ protocol: 'http' });
});

it('comes by the address that people use, where that is said, unless they are at this machine', async () => {
  const rules = { ...open, baseUrl: new URL('https://shop.example') };
  expect(await visit(rules, { host: 'internal:8080' })).toMatchObject({ host: 'shop.example', protocol: 'https' });
  expect(await visit(rules, { host: 'localhost:8080' })).toMatchObject({ host: 'localhost:8080', protocol: 'http' });
});

it('refuses rules that name no address', () => {
  expect(() => createVisitorReader({ ...open, trustedProxies: ['everybody'] })).toThrow('neither an address nor');
});
