import 'server-only';

import { createServer } from 'node:http';

import { getRequestListener } from '@hono/node-server';

import { announcePort, publicOrigin, serverSettings } from '#src/runtime/server-settings.ts';

import { writeLog } from '../runtime/log.ts';
import { drain } from './drain.ts';

/** Longer than any page of ours takes; a proxy in front gives up sooner. */
const drainMs = 10_000;

/** Milliseconds until a request's headers, and all of it, must be there: a body of 1 MiB takes a slow phone 10 s. */
const headersTimeout = 5_000;
const requestTimeout = 30_000;

type Fetch = (request: Request, env: object) => Response | Promise<Response>;

/**
 * Listens on `HOST` (127.0.0.1 unless set) and `PORT` (3000). SIGTERM and SIGINT let the
 * requests under way finish, run `onStop`, and end the process; a second signal ends it at once.
 */
export function listen(fetch: Fetch, onStop: () => Promise<void>): void {
  const { hostname, port } = serverSettings();
  const server = createServer({ headersTimeout, requestTimeout }, getRequestListener(fetch));
  server.on('error', (error: NodeJS.ErrnoException) => {
    const reason = error.code === 'EADDRINUSE' ? `port ${port} is in use; set PORT to another` : error.message;
    console.error(`flight-recorder: cannot listen on ${hostname}: ${reason}`);
    process.exit(1);
  });

  server.listen(port, hostname, () => {
    const address = server.address();
    if (typeof address === 'object' && address) announcePort(address.port);
    console.log(`Flight Recorder is at ${publicOrigin(serverSettings())}`);
  });

  let isStopping = false;
  async function stop(signal: string): Promise<void> {
    if (isStopping) process.exit(130);
    isStopping = true;
    writeLog('info', 'stopping', { signal });
    await drain(server, drainMs);
    await onStop();
    process.exit(0);
  }
  process.on('SIGTERM', (signal) => void stop(signal));
  process.on('SIGINT', (signal) => void stop(signal));
}
