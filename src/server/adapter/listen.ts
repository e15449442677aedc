import 'server-only';

import type { Server } from 'node:http';

import { readSetting } from '#src/server/environment/read-setting.ts';
import { mountPath } from '#src/server/http/addresses.ts';
import { beginDraining } from '#src/server/http/draining.ts';
import { writeLog } from '#src/server/http/log.ts';
import { announcePort, publicOrigin, serverSettings, type ServerSettings } from '#src/server/http/server-settings.ts';

import type { CheckHead, Limits } from '#src/server/connections/limited-server.ts';

import { createHeadCheck } from './check-request-head.ts';
import { createAddressReader } from '#src/server/http/client-address.ts';
import { createHttpServer, type Answer } from './create-server.ts';
import { drain, trackUnused } from '#src/server/connections/drain.ts';
import { warnOfOldNode } from './node-version.ts';
import type { SendFile } from './send-file.ts';
import { createInFlightResponses } from '#src/server/connections/in-flight-responses.ts';

/** Longer than any page of ours takes; a proxy in front gives up sooner. */
const drainMs = 10_000;

function createLimits(): Limits {
  return {
    headersTimeout: 5_000,
    // A body of 1 MiB takes 21 s at the 400 kbit/s of a slow mobile network.
    requestTimeout: 30_000,
    // Node's own. A proxy that keeps connections must give them up first, or it sends into one that is just being closed.
    keepAliveTimeout: readSetting('KEEP_ALIVE_SECONDS') * 1_000,
    // Twice what any page of ours takes to its next byte.
    stalledTimeout: 60_000,
    // Node's own is 30 s, which would make up to 35 of the 5 above.
    connectionsCheckingInterval: 1_000,
  };
}

function startListening(server: Server, { hostname, port }: ServerSettings): void {
  server.on('error', (error: NodeJS.ErrnoException) => {
    const reason = error.code === 'EADDRINUSE' ? `port ${port} is in use; set PORT to another` : error.message;
    console.error(`flight-recorder: cannot listen on ${hostname}: ${reason}`);
    process.exit(1);
  });
  // Several servers on one PostgreSQL may share a port: the system gives each connection to one of them.
  server.listen({ port, host: hostname, reusePort: readSetting('REUSE_PORT') }, () => {
    const address = server.address();
    if (typeof address === 'object' && address) announcePort(address.port);
    console.log(`Flight Recorder is at ${publicOrigin(serverSettings())}${mountPath}`);
  });
}

/**
 * Runs `start`, then listens on `HOST` (127.0.0.1 unless set) and `PORT` (3000). SIGTERM and SIGINT let the requests in
 * flight finish, run what `start` returned, and end the process; a second signal ends it at once.
 */
export async function listen(
  { answer, sendFile }: { readonly answer: Answer; readonly sendFile: SendFile },
  start: () => Promise<() => Promise<void>>,
): Promise<void> {
  const settings = serverSettings();
  const inFlight = createInFlightResponses();
  let check: CheckHead | undefined;
  const server = createHttpServer({
    answer,
    sendFile,
    // The names hold the port, which the system may have chosen.
    checkHead: (incoming) => (check ??= createHeadCheck(serverSettings()))(incoming),
    readAddress: createAddressReader(settings.trustedProxies),
    inFlight,
    limits: createLimits(),
  });
  const unused = trackUnused(server);
  const onStop = await start();
  warnOfOldNode(settings);
  startListening(server, settings);

  let isStopping = false;
  async function stop(signal: string): Promise<void> {
    if (isStopping) process.exit(130);
    isStopping = true;
    beginDraining();
    // Whoever reads the line may rely on it: who connects from then on is refused.
    const onRefusing = () => writeLog('info', 'stopping', { signal });
    await drain(server, { inFlight, unused, onRefusing }, drainMs);
    await onStop();
    process.exit(0);
  }
  process.on('SIGTERM', (signal) => void stop(signal));
  process.on('SIGINT', (signal) => void stop(signal));
  // Started by `flight-recorder run`, which has ended without a word: nobody else would end this one.
  if (process.connected) process.on('disconnect', () => void stop('parent-ended'));
}
