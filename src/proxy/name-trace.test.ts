import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';

import { expect, it } from 'vitest';

import { nameTrace } from './name-trace.ts';

function ask(...rawHeaders: readonly string[]): IncomingMessage {
  const incoming = new IncomingMessage(new Socket());
  incoming.rawHeaders = [...rawHeaders];
  for (let at = 0; at < rawHeaders.length; at += 2) incoming.headers[rawHeaders[at] ?? ''] = rawHeaders[at + 1];
  nameTrace(incoming);
  return incoming;
}

it('names a trace of its own for each request, for who forwards and for who watches', () => {
  const [one, two] = [ask('host', 'a'), ask('host', 'a')];
  const [, , name, value] = one.rawHeaders;
  expect([name, value]).toEqual(['traceparent', expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)]);
  expect(one.headers['traceparent']).toBe(value);
  expect(two.headers['traceparent']).not.toBe(value);
});

it.each([
  ['traceparent', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00'],
  ['sentry-trace', '4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7'],
  ['baggage', 'sentry-trace_id=4bf92f3577b34da6a3ce929d0e0e4736'],
])('leaves a request that names one in %s', (name, value) => {
  expect(ask(name, value).rawHeaders).toEqual([name, value]);
});
