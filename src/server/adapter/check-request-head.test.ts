import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';

import { describe, expect, it } from 'vitest';

import { sdkEnvelopePath, sdkStorePath, tunnelPath } from '#src/server/http/addresses.ts';
import { readServerSettings } from '#src/server/http/server-settings.ts';
import { visitorSecret, formatVisitor } from '#src/server/http/visitor.ts';

import { createHeadCheck } from './check-request-head.ts';

const check = createHeadCheck({ ...readServerSettings({}), port: 3000 });

function arrive(method: string, url: string, headers: Record<string, string>) {
  const incoming = new IncomingMessage(new Socket());
  const all = { host: '127.0.0.1:3000', ...headers };
  Object.assign(incoming, { method, url, headers: all, rawHeaders: Object.entries(all).flat() });
  return check(incoming)?.code;
}

const elsewhere = { origin: 'https://shop.test', 'sec-fetch-site': 'cross-site' };
const large = { 'content-length': String(2 * 1024 * 1024) };

describe('where SDKs send', () => {
  it.each([sdkEnvelopePath('2'), `${sdkStorePath('shop')}?sentry_key=a`, '/tools/api/2/envelope'])(
    '%s: from pages of any origin, and with a length that is looked at later',
    (url) => {
      expect(arrive('POST', url, elsewhere)).toBeUndefined();
      expect(arrive('OPTIONS', url, elsewhere)).toBeUndefined();
      expect(arrive('POST', url, large)).toBeUndefined();
    },
  );

  it('is this server by its name, and nothing but a POST', () => {
    expect(arrive('POST', sdkEnvelopePath('2'), { host: 'evil.test' })).toBe('wrong-host');
    expect(arrive('GET', sdkEnvelopePath('2'), elsewhere)).toBe('wrong-origin');
    expect(arrive('POST', sdkEnvelopePath('2'), { 'transfer-encoding': 'gzip' })).toBe('malformed-request');
  });
});

it.each([tunnelPath, '/', `/?x=${sdkEnvelopePath('2')}`])('%s: neither from another origin, nor so long', (url) => {
  expect(arrive('POST', url, elsewhere)).toBe('wrong-origin');
  expect(arrive('POST', url, { 'sec-fetch-site': 'cross-site' })).toBe('wrong-origin');
  expect(arrive('POST', url, large)).toBe('too-large');
});

describe('through an app beside which this server runs', () => {
  const visitor = formatVisitor({ address: '203.0.113.9', protocol: 'http', isLocal: false }, visitorSecret());
  const through = { host: 'shop.example', 'x-flight-visitor': visitor };

  it('people come by any name that the app has', () => {
    expect(arrive('GET', '/', through)).toBeUndefined();
    expect(arrive('GET', '/', { ...through, host: '[2001:db8::1]:8080' })).toBeUndefined();
    expect(arrive('GET', '/', { ...through, host: 'shop.example/@evil' })).toBe('wrong-host');
    expect(arrive('GET', '/', { host: 'shop.example', 'x-flight-visitor': 'guessed http 1.2.3.4 local' })).toBe(
      'wrong-host',
    );
  });

  it.each(['http://shop.example', 'https://shop.example'])('a page at %s may post', (origin) => {
    expect(arrive('POST', '/', { ...through, origin })).toBeUndefined();
  });

  it.each(['https://evil.example', 'https://shop.example:8443', 'null', 'http://127.0.0.1:3000'])(
    'a page at %s may not',
    (origin) => {
      expect(arrive('POST', '/', { ...through, origin })).toBe('wrong-origin');
    },
  );
});

describe('a probe of /healthz and /readyz', () => {
  /** From a connection that has this address. */
  function probe(from: string, url: string, headers: Record<string, string> = {}, method = 'GET') {
    const socket = new Socket();
    Object.defineProperty(socket, 'remoteAddress', { value: from });
    const incoming = new IncomingMessage(socket);
    Object.assign(incoming, { method, url, headers, rawHeaders: Object.entries(headers).flat() });
    const settings = { ...readServerSettings({ TRUSTED_PROXIES: '192.0.2.0/24' }), port: 3000 };
    return createHeadCheck(settings)(incoming)?.code;
  }

  it.each(['127.0.0.1', '::1', '::ffff:127.0.0.1', '192.0.2.7'])('from %s needs no name, and may have any', (from) => {
    for (const url of ['/healthz', '/readyz', '/readyz?a']) {
      expect(probe(from, url)).toBeUndefined();
      expect(probe(from, url, { host: '10.1.2.3:3000' }, 'HEAD')).toBeUndefined();
    }
  });

  it('from elsewhere needs the name, and so does everything else', () => {
    expect(probe('198.51.100.1', '/readyz')).toBe('malformed-request');
    expect(probe('198.51.100.1', '/readyz', { host: '10.1.2.3:3000' })).toBe('wrong-host');
    expect(probe('127.0.0.1', '/')).toBe('malformed-request');
    expect(probe('127.0.0.1', '/readyz', {}, 'POST')).toBe('malformed-request');
  });

  it('by a page of another site is none', () => {
    expect(probe('127.0.0.1', '/readyz', { host: 'evil.test', origin: 'http://evil.test' })).toBe('wrong-host');
    expect(probe('127.0.0.1', '/readyz', { host: 'evil.test', 'sec-fetch-site': 'same-origin' })).toBe('wrong-host');
  });
});
