import { createServer } from 'node:http';

import { serve } from '@hono/node-server';

import { isRecord } from '#boundary';
import { startBeside } from '#src/waku/beside/start-beside.ts';

/**
 * A small app with the interface beside it, as the plugin runs it: in production behind @hono/node-server, in development on Node's own
 * requests. It says its port over the channel, answers every path of its own with `app`, and `/known` with what it was told.
 *
 *     node beside-child.ts <mounted copy> <mount path> <app> <production|development>
 */
const [folder = '', mount = '', app = '', mode] = process.argv.slice(2);

function tellPort(address: unknown): void {
  process.send?.({ port: isRecord(address) ? address['port'] : 0 });
}

const beside = await startBeside({
  folder,
  data: undefined,
  mount,
  app,
  mode: mode === 'development' ? 'development' : 'production',
});

function describe(): string {
  return JSON.stringify({ policy: beside.readPolicy(), ...beside.read() });
}

if (mode === 'development') {
  const server = createServer((incoming, outgoing) => {
    const pathname = (incoming.url ?? '').split('?')[0] ?? '';
    if (beside.owns(pathname)) beside.forwardNode(incoming, outgoing);
    else outgoing.end(pathname === '/known' ? describe() : 'app');
  });
  server.listen(0, process.env['HOST'] ?? '127.0.0.1', () => tellPort(server.address()));
} else {
  const server = serve(
    {
      async fetch(request, env) {
        const { pathname } = new URL(request.url);
        if (beside.owns(pathname)) return beside.forward(request, env);
        return new Response(pathname === '/known' ? describe() : 'app');
      },
      port: 0,
      hostname: '127.0.0.1',
    },
    () => tellPort(server.address()),
  );
}
