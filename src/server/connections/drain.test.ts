import { once } from 'node:events';
import { Agent, createServer, get, type IncomingMessage, type Server } from 'node:http';
import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { drain, trackUnused, type Unused } from './drain.ts';
import { createInFlightResponses, type InFlightResponses } from './in-flight-responses.ts';

let server: Server;
let unused: Unused;
let inFlight: InFlightResponses;
let port: number;
let agent: Agent;
let arrived: Promise<void>;
let answer: () => void;

beforeEach(async () => {
  let arrive: () => void = () => undefined;
  arrived = new Promise((resolve) => (arrive = resolve));
  inFlight = createInFlightResponses();
  server = createServer((_, response) => {
    inFlight.add(response);
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

it('answers the clients that wait in the queue of the system', async () => {
  inFlight = createInFlightResponses();
  server.removeAllListeners('request').on('request', (_, response) => {
    inFlight.add(response);
    response.end('answered');
  });
  // All of them have connected before the server runs again: Node accepts one in each turn.
  const requests = Array.from({ length: 20 }, request);
  const [first] = requests;
  await first;
  const drained = drain(server, { inFlight, unused }, 60_000);
  const responses = await Promise.all(requests);
  expect(responses.map((response) => response.resume().statusCode)).toEqual(requests.map(() => 200));
  await drained;
});

it('lets a request in flight finish, on a connection that is kept alive, and takes no new one', async () => {
  const first = request();
  await arrived;
  let isDrained = false;
  const drained = drain(server, { inFlight, unused }, 60_000).then(() => (isDrained = true));
  await expect.poll(() => server.listening).toBe(false);
  await expect(request()).rejects.toThrow('ECONNREFUSED');
  expect(isDrained).toBe(false);
  answer();
  const response = await first;
  response.resume();
  expect(response.statusCode).toBe(200);
  expect(response.headers.connection).toBe('close');
  await drained;
});

it('cuts what is not finished at the deadline', async () => {
  const first = request();
  const cut = expect(first).rejects.toThrow('socket hang up');
  await arrived;
  await drain(server, { inFlight, unused }, 20);
  await cut;
});

it('leaves an idle connection the time for one more request, and says on it that it is the last', async () => {
  const first = request();
  await arrived;
  answer();
  await once((await first).resume(), 'end');
  // Now the agent keeps the connection.
  await setImmediate();
  const drained = drain(server, { inFlight, unused }, 60_000);
  await expect.poll(() => server.listening).toBe(false);
  arrived = new Promise((resolve) => server.once('request', () => resolve()));
  const second = request();
  await arrived;
  answer();
  const response = await second;
  response.resume();
  expect(response.headers.connection).toBe('close');
  await drained;
});

it('closes what was idle, and what never asked for anything', async () => {
  const first = request();
  await arrived;
  answer();
  (await first).resume();
  const silent = connect(port, '127.0.0.1');
  await once(silent, 'connect');
  const gone = once(silent, 'close');
  silent.resume();
  await drain(server, { inFlight, unused }, 60_000);
  await gone;
});
