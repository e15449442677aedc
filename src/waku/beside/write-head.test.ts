import { expect, it } from 'vitest';

import { visitorSecret, formatVisitor, type Visitor } from '#src/server/http/visitor.ts';

import { toDownstreamHeaders, toUpstreamHeaders } from './write-head.ts';

const visitor: Visitor = { address: '203.0.113.9', protocol: 'https', host: 'shop.example', isLocal: false };
const head = ['host', 'shop.example', 'x-flight-visitor', formatVisitor(visitor, 'door')];

it('passes on what a visitor sends, two of one name as two', () => {
  const sent = ['Accept', 'text/html', 'X-Two', 'a', 'X-Two', 'b', 'Authorization', 'Bearer k'];
  expect(toUpstreamHeaders(sent, visitor, 'door')).toEqual([...head, ...sent]);
});

it.each([
  ['X-Flight-Visitor', `${visitorSecret()} http 127.0.0.1 local`],
  ['X-Forwarded-For', '127.0.0.1'],
  ['X-Forwarded-Proto', 'https'],
  ['x-forwarded-host', 'evil.example'],
  ['Forwarded', 'for=127.0.0.1'],
  ['X-Real-IP', '127.0.0.1'],
  ['Host', 'evil.example'],
  [':authority', 'evil.example'],
  ['Connection', 'keep-alive'],
  ['Transfer-Encoding', 'chunked'],
  ['Content-Length', '7'],
  ['Upgrade', 'websocket'],
  ['Expect', '100-continue'],
  ['Cookie', 'session=of-the-app'],
])('drops %s: %s, which a client may write as it likes', (...sent) => {
  expect(toUpstreamHeaders(sent, visitor, 'door')).toEqual(head);
});

it('drops what Connection names', () => {
  expect(toUpstreamHeaders(['Connection', 'close, X-One', 'X-One', '1', 'X-Two', '2'], visitor, 'door')).toEqual([
    ...head,
    'X-Two',
    '2',
  ]);
});

it('lets Connection take away nothing that says whose request it is', () => {
  const sent = ['Cookie', '__Host-flight=f', 'Origin', 'http://shop.example', 'Content-Type', 'text/plain'];
  const named = ['Connection', 'cookie, Origin,content-type, host, X-Flight-Visitor'];
  expect(toUpstreamHeaders([...named, ...sent], visitor, 'door')).toEqual([...head, ...sent]);
});

it('shows the interface its own cookies alone', () => {
  const cookies = 'session=a; __Secure-flight=b; flight_mounted_8080=c;flight_3000=d; flight_other=e; __Host-flight=f';
  expect(toUpstreamHeaders(['Cookie', cookies], visitor, 'door').slice(head.length)).toEqual([
    'Cookie',
    '__Secure-flight=b; flight_mounted_8080=c; flight_3000=d; __Host-flight=f',
  ]);
});

it('leaves the answer as it is, but for what speaks for the app’s whole origin', () => {
  const kept = ['Set-Cookie', 'a=1', 'Set-Cookie', 'b=2', 'Content-Encoding', 'br', 'ETag', '"x"'];
  const dropped = ['Connection', 'close', 'Keep-Alive', 'timeout=5', 'Transfer-Encoding', 'chunked'];
  const ofOrigin = ['Strict-Transport-Security', 'max-age=1', 'Clear-Site-Data', '"cache"'];
  expect(toDownstreamHeaders([...dropped, ...kept, ...ofOrigin]).flat()).toEqual(kept);
});
