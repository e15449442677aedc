import type { Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { readServerSettings } from '#src/server/http/server-settings.ts';

import { createHeadCheck } from './check-request-head.ts';
import { createAddressReader } from '#src/server/http/client-address.ts';
import { createHttpServer, type Answer } from './create-server.ts';
import type { Limits } from '#src/server/connections/limited-server.ts';
import { createInFlightResponses } from '#src/server/connections/in-flight-responses.ts';

const quick: Limits = {
  headersTimeout: 100,
  requestTimeout: 300,
  keepAliveTimeout: 5_000,
  stalledTimeout: 600,
  connectionsCheckingInterval: 20,
};

let server: Server;
let port: number;
let logLines: Record<string, unknown>[];

async function listen(answer: Answer, env: Readonly<Record<string, string>> = {}): Promise<void> {
  let settings = readServerSettings(env);
  server = createHttpServer({
    answer,
    sendFile: () => false,
    checkHead: (incoming) => createHeadCheck(settings)(incoming),
    readAddress: createAddressReader(settings.trustedProxies),
    inFlight: createInFlightResponses(),
    limits: quick,
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address: AddressInfo | string | null = server.address();
  if (typeof address !== 'object' || !address) throw new Error('no port');
  ({ port } = address);
  settings = { ...settings, port };
}

/** Sends `parts` one after the other and returns what came back when the server closed. */
async function send(...parts: readonly string[]): Promise<string> {
  return await new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => {
      for (const part of parts) socket.write(part.replaceAll('HOST', `127.0.0.1:${port}`), 'latin1');
    });
    socket.setEncoding('latin1').on('data', (chunk) => (text += String(chunk)));
    socket.on('error', reject).on('close', () => resolve(text));
  });
}

beforeEach(() => {
  logLines = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => logLines.push(JSON.parse(String(text))) > 0);
});

afterEach(async () => {
  vi.restoreAllMocks();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe('a slow client', () => {
  it('gets 408 when its headers do not come', async () => {
    await listen(() => new Response('ok'));
    expect(await send('GET / HTTP/1.1\r\nHost: HO')).toMatch(/^HTTP\/1\.1 408 [^]*"code":"too-slow"/);
    expect(logLines).toMatchObject([{ event: 'request-refused', status: 408 }]);
  });

  it('is cut when its body does not come, and whoever reads it hears of it', async () => {
    const heard = vi.fn();
    await listen(async (request) => {
      await request.arrayBuffer().catch(heard);
      return new Response('too slow', { status: 408 });
    });
    const head = 'POST / HTTP/1.1\r\nHost: HOST\r\nContent-Length: 10\r\n\r\n';
    expect(await send(head, 'half')).toMatch(/^HTTP\/1\.1 408 [^]*connection: close\r\n[^]*too slow$/i);
    expect(heard).toHaveBeenCalledWith(expect.objectContaining({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }));
    // The line is whose the answer is.
    expect(logLines).toEqual([]);
  });

  it('that does not read its answer is cut', async () => {
    const left = Promise.withResolvers<void>();
    await listen(async ({ signal }) => {
      signal.addEventListener('abort', () => left.resolve());
      return new Response(new Uint8Array(64 * 1024 * 1024));
    });
    const socket = connect(port, '127.0.0.1', () => {
      socket.pause().write(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
    });
    await left.promise;
    socket.destroy();
  });

  it('that never says anything is closed without a word', async () => {
    await listen(() => new Response('ok'));
    expect(await send()).toBe('');
    expect(logLines).toEqual([]);
  });
});

describe('a body that is too long', () => {
  const head = 'POST / HTTP/1.1\r\nHost: HOST\r\nContent-Length: 1048577\r\n';

  it('is refused before it comes, and nobody is asked', async () => {
    const answer = vi.fn<Answer>(() => new Response('ok'));
    await listen(answer);
    const begin = performance.now();
    expect(await send(`${head}\r\n`, 'x')).toMatch(/^HTTP\/1\.1 413 [^]*connection: close\r\n/i);
    expect(performance.now() - begin).toBeLessThan(2_000);
    expect(answer).not.toHaveBeenCalled();
  });

  it('is not asked for', async () => {
    await listen(() => new Response('ok'));
    const text = await send(`${head}Expect: 100-continue\r\n\r\n`);
    expect(text).toMatch(/^HTTP\/1\.1 413 /);
    expect(text).not.toContain('100 Continue');
  });

  it('reaches the client as an answer, and does not cut it while it is still sending', async () => {
    await listen(() => new Response('ok'));
    const ended = vi.fn();
    const text = await new Promise<string>((resolve, reject) => {
      let received = '';
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => {
        socket.write(`${head.replace('HOST', `127.0.0.1:${port}`)}\r\n`);
      });
      socket.setEncoding('latin1').on('data', (chunk) => {
        received += String(chunk);
        // The answer is there, and only now comes what was announced.
        if (received.endsWith('\n')) socket.write('x'.repeat(1_048_577), ended);
      });
      socket.on('error', reject).on('end', () => {
        socket.end();
        resolve(received);
      });
    });
    expect(text).toMatch(/^HTTP\/1\.1 413 [^]*too-large/);
    expect(ended).toHaveBeenCalledOnce();
    expect(ended).not.toHaveBeenCalledWith(expect.any(Error));
  });
});

it('a body of the right length is asked for', async () => {
  await listen(async (request) => new Response(await request.text()));
  const text = await send(
    'POST / HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n',
    'body',
  );
  expect(text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 [^]*body$/);
});

describe('what is behind it sees', () => {
  const request =
    'GET / HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\nX-Forwarded-For: 198.51.100.1\r\nX-Forwarded-Proto: https\r\n' +
    'Forwarded: for=198.51.100.1\r\nX-Real-IP: 198.51.100.1\r\nX-Flight-Page: static\r\nX-Flight-Action: a/b\r\n' +
    'X-Waku-Debug-Id: 1\r\nX-Waku-Etags: e\r\nX-Own: kept\r\n\r\n';
  const show: Answer = ({ headers }, env) =>
    Response.json({ headers: Object.fromEntries(headers), address: 'address' in env ? env.address : undefined });

  async function see(env: Readonly<Record<string, string>> = {}): Promise<unknown> {
    await listen(show, env);
    const text = await send(request);
    return JSON.parse(text.slice(text.indexOf('\r\n\r\n')));
  }

  const headers = {
    host: expect.any(String),
    connection: 'close',
    'x-flight-action': 'a/b',
    'x-waku-etags': 'e',
    'x-own': 'kept',
  };

  it('no header that only a proxy or we may set, and the connection’s address', async () => {
    expect(await see()).toEqual({ address: '127.0.0.1', headers });
  });

  it('the client’s address when a proxy is trusted, and its headers neither', async () => {
    expect(await see({ TRUSTED_PROXIES: '127.0.0.0/8' })).toEqual({ address: '198.51.100.1', headers });
  });
});

describe('behind a proxy that ends TLS', () => {
  const env = { BASE_URL: 'https://flight.example' };

  it.each([
    ['its origin and its host', 'flight.example', 'https://flight.example', 200],
    ['the origin without TLS', 'flight.example', 'http://flight.example', 403],
    ['a proxy that does not pass the host on', 'HOST', 'https://flight.example', 403],
    ['this machine’s own address', 'HOST', 'http://HOST', 200],
    ['this machine’s own origin at the public host', 'flight.example', 'http://HOST', 403],
  ])('%s', async (_, host, origin, status) => {
    await listen(() => new Response('ok'), env);
    const text = await send(`POST / HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${origin}\r\nConnection: close\r\n\r\n`);
    expect(text).toContain(`HTTP/1.1 ${status} `);
  });
});

it('a body that breaks is answered once, by whoever reads it', async () => {
  await listen(async (request) => {
    const text = await request.text().catch(() => undefined);
    return new Response(text ?? 'broken', { status: text === undefined ? 400 : 200 });
  });
  const text = await send('POST / HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n', 'zz\r\n');
  expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
  expect(text).toMatch(/^HTTP\/1\.1 400 [^]*broken$/);
});

it('a body that breaks and that nobody reads is one line', async () => {
  await listen(() => new Response('fine'));
  const text = await send('POST / HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n');
  expect(text).toMatch(/^HTTP\/1\.1 200 [^]*fine$/);
  await expect.poll(() => logLines).toMatchObject([{ event: 'request-refused', status: 400, method: 'POST' }]);
});
