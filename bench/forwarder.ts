import { once } from 'node:events';
import { Agent, createServer, request as requestByHand, type IncomingMessage, type ServerResponse } from 'node:http';

import { createProxy } from '../src/proxy/create-proxy.ts';
import { limitYoungMemory } from '../src/proxy/limit-young-memory.ts';

/**
 * One process of the proxy benchmark: `node forwarder.ts <kind> [<upstream's port>]`. It prints its port when it listens.
 * - `app`: the upstream, which answers at once with 15 kB and the headers of a usual page;
 * - `ours`: the proxy without a watch;
 * - `undici`, `node`: the shortest forwarders by undici's dispatcher and by `node:http` that keep backpressure. They drop what a
 *   proxy has to do besides: no X-Forwarded-*, no limits, nothing of the headers of one connection, no trailers.
 */
const [, , kind, upstreamPort] = process.argv;
const origin = `http://127.0.0.1:${upstreamPort}`;

type Answer = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

function createApp(): Answer {
  // A third is HTML, the rest the Flight of it, as Next.js sends both.
  const row = JSON.stringify([
    1,
    `0:["$","p",null,{"children":"${'a page as apps send it, not compressed '.repeat(250)}"}]\n`,
  ]);
  const html = `<p>a page as apps send it, not compressed</p>\n`.repeat(110);
  const body = Buffer.from(`<!DOCTYPE html>${html}<script>(self.__next_f=self.__next_f||[]).push(${row})</script>`);
  const headers = ['Content-Type', 'text/html; charset=utf-8', 'Content-Length', String(body.length)];
  headers.push('Cache-Control', 'private, no-cache, no-store, max-age=0, must-revalidate', 'Vary', 'rsc, accept');
  headers.push('X-Powered-By', 'a framework', 'ETag', '"x7b4jq9gz2a1"', 'Set-Cookie', 'a=1; Path=/; HttpOnly');
  return (incoming, outgoing) => {
    incoming.resume();
    outgoing.writeHead(200, headers);
    outgoing.end(body);
  };
}

async function forwardByUndici(): Promise<Answer> {
  const { Pool } = await import('undici');
  const pool = new Pool(origin);
  return (incoming, outgoing) => {
    const { method = 'GET', url: path = '/', rawHeaders } = incoming;
    const headers: string[] = [];
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const name = rawHeaders[at] ?? '';
      if (name.toLowerCase() !== 'connection') headers.push(name, rawHeaders[at + 1] ?? '');
    }
    const hasBody = incoming.headers['content-length'] !== undefined;
    pool.dispatch(
      // undici's type of a method leaves some out.
      { path, method: method === 'POST' ? 'POST' : 'GET', headers, body: hasBody ? incoming : null },
      {
        onRequestStart(controller) {
          outgoing.on('drain', () => controller.resume());
        },
        onResponseStart(controller, status) {
          const raw = controller.rawHeaders;
          const kept: string[] = [];
          if (Array.isArray(raw)) {
            for (let at = 0; at < raw.length; at += 2) {
              const name = String(raw[at]);
              const lower = name.toLowerCase();
              if (lower === 'connection' || lower === 'keep-alive' || lower === 'transfer-encoding') continue;
              kept.push(name, raw[at + 1]?.toString('latin1') ?? '');
            }
          }
          outgoing.writeHead(status, kept);
        },
        onResponseData(controller, chunk) {
          if (!outgoing.write(chunk)) controller.pause();
        },
        onResponseEnd: () => void outgoing.end(),
        onResponseError: () => void outgoing.destroy(),
      },
    );
  };
}

function forwardByNode(): Answer {
  const agent = new Agent({ keepAlive: true });
  return (incoming, outgoing) => {
    const { method, url, rawHeaders } = incoming;
    const upstream = requestByHand(`${origin}${url}`, { method, agent, headers: rawHeaders }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.rawHeaders);
      response.pipe(outgoing);
    });
    upstream.on('error', () => outgoing.destroy());
    incoming.pipe(upstream);
  };
}

async function listen(answer: Answer): Promise<number> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('no port');
  return address.port;
}

async function start(): Promise<number> {
  switch (kind) {
    case 'app':
      return listen(createApp());
    case 'ours':
      limitYoungMemory();
      return createProxy({ to: origin }).listen(0, '127.0.0.1');
    case 'undici':
      return listen(await forwardByUndici());
    case 'node':
      return listen(forwardByNode());
    default:
      throw new Error(`no such forwarder: ${kind}`);
  }
}

console.log(await start());
