import { once } from 'node:events';
import { createServer, type Server } from 'node:http';

import { getRequestListener } from '@hono/node-server';
import { onTestFinished } from 'vitest';

import { findIncoming } from '#src/server/http/find-incoming.ts';
import type { Visitor } from '#src/server/http/visitor.ts';

import { forwardNode } from '../forward-node.ts';
import { forwardRequest, type Upstream } from '../forward-request.ts';

const visitor: Visitor = { address: '203.0.113.9', protocol: 'http', host: 'shop.example', isLocal: false };

/** With which way of passing on. */
export type Front = 'web' | 'node';

async function listen(server: Server): Promise<number> {
  onTestFinished(() => server.close().closeAllConnections());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('no port');
  return address.port;
}

function createFront(front: Front, upstream: Upstream): Server {
  if (front === 'node') {
    return createServer((incoming, outgoing) => {
      forwardNode(incoming, outgoing, visitor, upstream).catch(() => outgoing.writeHead(503).end());
    });
  }
  const listener = getRequestListener(async (request, env) => {
    try {
      return await forwardRequest(request, findIncoming(env), visitor, upstream);
    } catch {
      return new Response(null, { status: 503 });
    }
  });
  return createServer((incoming, outgoing) => void listener(incoming, outgoing));
}

/** The app's server in front of an interface, which ends with the test. @returns its port */
export async function openFront(front: Front, behind: Server): Promise<number> {
  const place = { hostname: '127.0.0.1', port: await listen(behind) };
  return listen(createFront(front, { place, door: 'door' }));
}
