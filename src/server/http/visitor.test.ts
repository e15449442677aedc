import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';

import { expect, it } from 'vitest';

import { visitorSecret, findVisitor, formatVisitor, isVisitorSecret, meetVisitor } from './visitor.ts';

function arrive(header: string | undefined): IncomingMessage {
  const incoming = new IncomingMessage(new Socket());
  return Object.assign(incoming, { headers: { host: 'shop.example', 'x-flight-visitor': header } });
}

it.each([
  { address: '203.0.113.9', protocol: 'https', isLocal: false },
  { address: '2001:db8::1', protocol: 'http', isLocal: true },
  { address: '', protocol: 'http', isLocal: false },
] as const)('is who the app’s process says: %j', (said) => {
  const incoming = arrive(formatVisitor(said, visitorSecret()));
  expect(meetVisitor(incoming)).toEqual({ ...said, host: 'shop.example' });
  // The header is removed, and it is asked later.
  delete incoming.headers['x-flight-visitor'];
  expect(findVisitor(incoming)).toEqual({ ...said, host: 'shop.example' });
});

const said = { address: '203.0.113.9', protocol: 'https', isLocal: true } as const;

it.each([
  undefined,
  '',
  formatVisitor(said, 'guessed'),
  formatVisitor(said, `${visitorSecret()}x`),
  formatVisitor(said, visitorSecret().slice(1)),
  ` ${formatVisitor(said, '')}`,
  `${visitorSecret()} ftp 203.0.113.9 local`,
  `${visitorSecret()} http 203.0.113.9 local extra`,
])('is nobody without the secret, or in another form: %s', (header) => {
  const incoming = arrive(header);
  expect(meetVisitor(incoming)).toBeUndefined();
  expect(findVisitor(incoming)).toBeUndefined();
});

it('has a secret that is not guessed', () => {
  expect(visitorSecret()).toMatch(/^[\w-]{32}$/);
  expect([isVisitorSecret(visitorSecret()), isVisitorSecret(''), isVisitorSecret('x'.repeat(32))]).toEqual([
    true,
    false,
    false,
  ]);
});
