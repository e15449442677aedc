import { Agent, createServer, get, type IncomingMessage, type Server } from 'node:http';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { drain, trackUnused, type Unused } from './drain.ts';

let server: Server;
let unused: Unused;
let port: number;
let agent: Agent;
let arrived: Promise<void>;
let answer: () => void;

beforeEach(async () => {
  let arrive: () => void = () => undefined;
  arrived = new Promise((resolve) => (arrive = resolve));
  server = createServer((_, response) => {
    answer = () => response.end('answered');
    arrive();
  });
  unused = trackUnused(server);
  agent = new Agent({ keepAlive: true });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('The server is not listening');
  port = address.port;
});

afterEach(() => agent.destroy());

function request(): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get({ agent, host: '127.0.0.1', port }, resolve).on('error', reject);
  });
}

it('lets a request under way finish, on a connection that is kept alive, and takes no new one', async () => {
  const first = request();
  await arrived;
  let isDrained = false;
  const drained = drain(server, unused, 60_000).then(() => (isDrained = true));
  await expect(request()).rejects.toThrow('ECONNREFUSED');
  expect(isDrained).toBe(false);
  answer();
  const response = await first;
  response.resume();
  expect(response.statusCode).toBe(200);
  await drained;
});

it('cuts what is not finished at the deadline', async () => {
  const first = request();
  const cut = expect(first).rejects.toThrow('socket hang up');
  await arrived;
  await drain(server, unused, 20);
  await cut;
});
