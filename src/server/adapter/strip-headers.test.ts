import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';

import { expect, test } from 'vitest';

import { isDirectRequest } from '#src/server/http/direct-request.ts';

import { stripHeaders } from './strip-headers.ts';

function strip(name: string): { readonly isDirect: boolean; readonly isLeft: boolean } {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: '127.0.0.1' });
  const incoming = new IncomingMessage(socket);
  Object.assign(incoming.headers, { host: 'localhost', [name]: 'x' });
  incoming.rawHeaders.push('Host', 'localhost', name.toUpperCase(), 'x');
  stripHeaders(incoming);
  const isDirect = isDirectRequest(incoming, { baseUrl: undefined, trustedProxies: [] });
  return { isDirect, isLeft: name in incoming.headers || incoming.rawHeaders.includes(name.toUpperCase()) };
}

test.each([
  ['x-forwarded-for', { isDirect: false, isLeft: false }],
  ['x-forwarded-proto', { isDirect: false, isLeft: false }],
  ['forwarded', { isDirect: false, isLeft: false }],
  ['x-real-ip', { isDirect: false, isLeft: false }],
  ['x-flight-visitor', { isDirect: false, isLeft: false }],
  // Dropped as well, and says nothing of who passed it on.
  ['x-request-id', { isDirect: true, isLeft: false }],
  ['x-flight-visit', { isDirect: true, isLeft: true }],
])('%s is dropped or kept, and remembered where it tells of somebody in between', (name, expected) => {
  expect(strip(name)).toEqual(expected);
});
