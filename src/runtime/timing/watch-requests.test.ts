import { tracingChannel } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, get, type Server } from 'node:http';
import { text } from 'node:stream/consumers';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { findFreePort } from '../../../reliability/testing/start-server.ts';
import { createContext } from '#src/server/http/create-request-context.ts';
import { runInRequest } from '#src/server/http/request-context.ts';

import { closeCallLog, openCallLog, type LoggedCall } from './call-log.ts';
import { beginCall, endCall, runUntimed } from './time-calls.ts';
import { watchRequests } from './watch-requests.ts';

let server: Server;
let host: string;
let stop: () => void;

beforeAll(async () => {
  server = createServer((request, response) => {
    response.statusCode = request.url?.startsWith('/no') ? 503 : 200;
    response.write('a');
    setTimeout(() => response.end('b'), 20);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  host = `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  stop = watchRequests();
});

afterAll(() => {
  stop();
  server.closeAllConnections();
  server.close();
});

async function log(run: () => Promise<unknown>): Promise<readonly LoggedCall[]> {
  const headers = new Headers();
  const signal = new AbortController().signal;
  const context = createContext({ method: 'GET', path: '/', headers, address: '', signal }, false);
  const calls = openCallLog(context);
  await runInRequest(context, run);
  return closeCallLog(calls);
}

function show(calls: readonly LoggedCall[]): string[] {
  return calls.map(({ name, hasFailed }) => (hasFailed ? `${name} failed` : name));
}

const took = ({ from, until = Number.NaN }: LoggedCall) => until - from;

it('tells what fetch asked, to the last byte that was read, without its query', async () => {
  const calls = await log(async () => {
    await (await fetch(`http://${host}/stars/7?key=s3cret`)).text();
    await (await fetch(`http://${host}/no?key=s3cret`, { method: 'POST' })).text();
  });
  expect(show(calls)).toEqual([`GET ${host}/stars/7`, `POST ${host}/no (503) failed`]);
  expect(Math.min(...calls.map(took))).toBeGreaterThan(15);
});

it('tells what node:http asked', async () => {
  const calls = await log(async () => {
    const [response] = await once(get(`http://${host}/stars?key=s3cret`), 'response');
    await text(response);
  });
  expect(show(calls)).toEqual([`GET ${host}/stars`]);
  expect(Math.min(...calls.map(took))).toBeGreaterThan(15);
});

it('tells what had no answer', async () => {
  const nobody = `127.0.0.1:${await findFreePort()}`;
  const calls = await log(async () => {
    await fetch(`http://${nobody}/`).catch(() => undefined);
    await once(get(`http://${nobody}/x`), 'response').catch(() => undefined);
  });
  expect(show(calls)).toEqual([`GET ${nobody}/ failed`, `GET ${nobody}/x failed`]);
});

it('tells which kind of statement a database was sent, and nothing of it', async () => {
  const calls = await log(async () => {
    const query = `select 's3cret' from users`;
    await tracingChannel('mysql2:query').tracePromise(async () => 1, { query });
    await tracingChannel('db0.query').tracePromise(async () => 1, { query: 'pragma s3cret', dialect: 'sqlite' });
    await tracingChannel('ioredis:command').tracePromise(async () => 1, { command: 'get', args: ['s3cret'] });
    const refused = tracingChannel('node-redis:command').tracePromise(
      async () => {
        throw new Error('no');
      },
      { command: 's3cret key' },
    );
    await refused.catch(() => undefined);
  });
  expect(show(calls)).toEqual(['mysql SELECT', 'sqlite query', 'redis GET', 'redis command failed']);
});

it('tells who asked, and nothing outside of a recorded request', async () => {
  await (await fetch(`http://${host}/`)).text();
  const calls = await log(async () => {
    await (await runUntimed(() => fetch(`http://${host}/of-the-recorder`))).text();
    const call = beginCall({ kind: 'component', name: 'Page', file: 'a.tsx', line: 1, awaits: [] });
    const asked = fetch(`http://${host}/`);
    endCall(call);
    await (await asked).text();
  });
  const [request, page] = [calls.find(({ kind }) => kind === 'client'), calls.find(({ kind }) => kind === 'component')];
  expect([calls.length, request?.parent]).toEqual([2, page?.id]);
});

it('stops at five thousand', async () => {
  const calls = await log(async () => {
    for (let n = 0; n < 5_010; n += 1) {
      tracingChannel('ioredis:command').traceSync(() => n, { command: 'get' });
    }
  });
  expect(calls.length).toBe(5_000);
});
