import 'server-only';

import type { AddressInfo } from 'node:net';

import { serve } from '@hono/node-server';

import { writeLog } from '../runtime/log.ts';

/** Longer than any page of ours takes; a proxy in front gives up sooner. */
const drainMs = 10_000;

type Fetch = (request: Request, env: object) => Response | Promise<Response>;

function readPort(): number {
  const text = process.env.PORT ?? '3000';
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new Error(`PORT is ${text}, which is not a port number`);
  }
  return port;
}

/**
 * Listens on `HOST` (127.0.0.1 unless set) and `PORT` (3000). Resolves when listening. SIGTERM and SIGINT let the
 * requests under way finish, run `onStop`, and end the process; a second signal ends it at once.
 */
export async function listen(fetch: Fetch, onStop: () => Promise<void>): Promise<void> {
  const hostname = process.env.HOST ?? '127.0.0.1';
  const port = readPort();
  const server = serve({ fetch, hostname, port }, (address: AddressInfo) => {
    const host = hostname.includes(':') ? `[${hostname}]` : hostname;
    console.log(`Flight Recorder is at http://${host}:${address.port}`);
  });
  server.on('error', (error: NodeJS.ErrnoException) => {
    const reason = error.code === 'EADDRINUSE' ? `port ${port} is in use; set PORT to another` : error.message;
    console.error(`flight-recorder: cannot listen on ${hostname}: ${reason}`);
    process.exit(1);
  });

  let stopping = false;
  async function stop(signal: string): Promise<void> {
    if (stopping) process.exit(130);
    stopping = true;
    writeLog('info', 'stopping', { signal });
    setTimeout(() => process.exit(1), drainMs).unref();
    server.close();
    if ('closeIdleConnections' in server) server.closeIdleConnections();
    await onStop();
    process.exit(0);
  }
  process.on('SIGTERM', (signal) => void stop(signal));
  process.on('SIGINT', (signal) => void stop(signal));
}
