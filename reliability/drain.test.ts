import { Agent, get } from 'node:http';
import { connect } from 'node:net';

import { describe, expect, test } from 'vitest';

import { startServer } from './testing/start-server.ts';

/** Answers after two seconds, and sends nothing before. */
const slowPage = '/lab/slow?ms=2000';
/** Begins to answer at once. */
const streamedPage = '/lab/streaming';

type Answer = { readonly status: number; readonly body: string; readonly connection: string | undefined };

function read(agent: Agent, port: number, path: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = get({ agent, host: '127.0.0.1', port, path }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk) => (body += String(chunk)));
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, body, connection: response.headers.connection });
      });
      response.on('error', reject);
    });
    request.on('error', reject);
  });
}

/** Sends a request after another one and waits for its answer: then the other one has arrived too. */
async function untilArrived(port: number): Promise<void> {
  await read(new Agent(), port, '/healthz');
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

describe('SIGTERM', () => {
  test('fails not one request of 50 busy clients on kept connections', async () => {
    await using server = await startServer();
    const agent = new Agent({ keepAlive: true, maxSockets: 50 });
    const seen = { answered: 0, unexpected: new Array<string>() };
    async function browse(): Promise<void> {
      for (;;) {
        try {
          const { status, body } = await read(agent, server.port, '/runtime');
          if (status === 200 && body.trimEnd().endsWith('</html>')) seen.answered += 1;
          else seen.unexpected.push(`${status} ${body.slice(-100)}`);
        } catch (error) {
          if (codeOf(error) !== 'ECONNREFUSED') seen.unexpected.push(codeOf(error));
          return;
        }
      }
    }
    const clients = Array.from({ length: 50 }, browse);
    await expect.poll(() => seen.answered, { timeout: 120_000 }).toBeGreaterThan(100);
    server.signal('SIGTERM');
    const begin = performance.now();
    await Promise.all(clients);
    expect(await server.exited).toEqual({ code: 0, signal: null });
    expect(performance.now() - begin).toBeLessThan(20_000);
    expect(seen.unexpected).toEqual([]);
    agent.destroy();
  }, 180_000);

  test('lets a slow page finish, on its last connection', async () => {
    await using server = await startServer();
    const agent = new Agent({ keepAlive: true });
    const page = read(agent, server.port, slowPage);
    await untilArrived(server.port);
    server.signal('SIGTERM');
    await server.waitForLine((line) => line.event === 'stopping');
    await expect(read(new Agent(), server.port, '/healthz')).rejects.toThrow('ECONNREFUSED');
    const { status, body, connection } = await page;
    expect({ status, connection }).toEqual({ status: 200, connection: 'close' });
    expect(body.trimEnd()).toMatch(/<\/html>$/);
    expect(await server.exited).toEqual({ code: 0, signal: null });
    agent.destroy();
  });

  test('lets a page finish that has begun', async () => {
    await using server = await startServer();
    const agent = new Agent({ keepAlive: true });
    let body = '';
    await new Promise<void>((resolve, reject) => {
      get({ agent, host: '127.0.0.1', port: server.port, path: streamedPage }, (response) => {
        response.once('data', () => server.signal('SIGTERM'));
        response.setEncoding('utf8').on('data', (chunk) => (body += String(chunk)));
        response.on('end', resolve).on('error', reject);
      }).on('error', reject);
    });
    expect(body.trimEnd()).toMatch(/<\/html>$/);
    expect(await server.exited).toEqual({ code: 0, signal: null });
    agent.destroy();
  });

  test('is said by readiness at once, on connections that are there', async () => {
    await using server = await startServer();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    async function askReady(): Promise<string> {
      return (await read(agent, server.port, '/readyz')).body;
    }
    await expect.poll(askReady, { timeout: 30_000 }).toBe('{"status":"ready"}');
    server.signal('SIGTERM');
    await server.waitForLine((line) => line.event === 'stopping');
    const after = await read(agent, server.port, '/readyz');
    expect(after).toEqual({
      status: 503,
      body: `{"error":{"code":"not-ready","message":"This server should get no requests now."},"reasons":["draining"]}\n`,
      connection: 'close',
    });
    expect(await server.exited).toEqual({ code: 0, signal: null });
    agent.destroy();
  });

  test('does not wait for a connection that asks for nothing', async () => {
    await using server = await startServer();
    const socket = connect(server.port, '127.0.0.1');
    await new Promise((resolve) => socket.once('connect', resolve));
    const begin = performance.now();
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(performance.now() - begin).toBeLessThan(5_000);
    socket.destroy();
  });

  test('twice ends it at once', async () => {
    await using server = await startServer();
    const page = read(new Agent(), server.port, slowPage);
    const cut = expect(page).rejects.toThrow(/socket hang up|ECONNRESET|aborted/);
    await untilArrived(server.port);
    server.signal('SIGTERM');
    await server.waitForLine((line) => line.event === 'stopping');
    const begin = performance.now();
    expect(await server.end('SIGTERM')).toEqual({ code: 130, signal: null });
    expect(performance.now() - begin).toBeLessThan(1_000);
    await cut;
  });
});
