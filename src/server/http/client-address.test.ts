import { expect, test } from 'vitest';

import { findClient, parseProxies } from './client-address.ts';

const none = parseProxies([]);
const proxies = parseProxies(['127.0.0.1/32', '10.0.0.0/8', '::1', 'fd00::/8']);

test.each([
  ['without a trusted proxy the header is nobody’s word', '203.0.113.9', '198.51.100.1', none, '203.0.113.9'],
  ['nor is it from a peer that is none of them', '203.0.113.9', '198.51.100.1', proxies, '203.0.113.9'],
  ['a proxy says whom it saw', '127.0.0.1', '198.51.100.1', proxies, '198.51.100.1'],
  ['and nothing: then it is the proxy itself', '127.0.0.1', '', proxies, '127.0.0.1'],
  ['what the client wrote stands to the left', '127.0.0.1', '1.1.1.1, 198.51.100.1', proxies, '198.51.100.1'],
  ['proxies in a row', '127.0.0.1', '1.1.1.1,198.51.100.1, 10.1.2.3', proxies, '198.51.100.1'],
  ['nothing but proxies', '127.0.0.1', '10.0.0.1, 10.1.2.3', proxies, '10.0.0.1'],
  ['garbage stops the walk', '127.0.0.1', '198.51.100.1, unknown, 10.1.2.3', proxies, '10.1.2.3'],
  ['an address with a port is garbage', '127.0.0.1', '198.51.100.1:80', proxies, '127.0.0.1'],
  ['so is an empty entry', '127.0.0.1', '198.51.100.1,, 10.1.2.3', proxies, '10.1.2.3'],
  ['and a zone', '127.0.0.1', 'fe80::1%eth0', proxies, '127.0.0.1'],
  ['IPv4 inside IPv6 is IPv4', '::ffff:127.0.0.1', '::ffff:198.51.100.1', proxies, '198.51.100.1'],
  ['also in hexadecimal', '::ffff:7f00:1', '198.51.100.1', proxies, '198.51.100.1'],
  ['IPv6 has one spelling', '0:0:0:0:0:0:0:1', '2001:DB8:0:0::0001', proxies, '2001:db8::1'],
  ['IPv6 ranges', 'fd00::7', '2001:db8::1', proxies, '2001:db8::1'],
  ['a connection without an address', '', '198.51.100.1', proxies, ''],
])('%s', (_, peer, forwardedFor, trusted, expected) => {
  expect(findClient(peer, forwardedFor, trusted)).toBe(expected);
});

test('a list without an end is not walked to its end', () => {
  expect(findClient('127.0.0.1', '203.0.113.9,'.concat('10.0.0.1,'.repeat(1_000), '10.0.0.2'), proxies)).toBe(
    '10.0.0.1',
  );
});

test.each([
  '10.0.0.0/33',
  '::1/129',
  '10.0.0/8',
  'proxy.local',
  '10.0.0.1/8/8',
  '10.0.0.1/',
  '10.0.0.1/+8',
  'fe80::1%0',
])('TRUSTED_PROXIES %s is refused by name', (entry) => {
  expect(() => parseProxies(['127.0.0.1', entry])).toThrow(`TRUSTED_PROXIES has ${entry}`);
});
