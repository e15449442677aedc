import 'server-only';

import type { Server } from 'node:http';

import { readSetting } from '#src/environment/read-setting.ts';
import { mountPath } from '#src/http/addresses.ts';
import { beginDraining } from '#src/http/draining.ts';
import { writeLog } from '#src/http/log.ts';
import { announcePort, publicOrigin, serverSettings, type ServerSettings } from '#src/http/server-settings.ts';

import { onPrimary, tellPrimary } from '#src/workers/channel.ts';
import { renewed } from '#src/workers/messages.ts';
import { isFirstWorker, thisWorker } from '#src/workers/this-worker.ts';

import type { CheckHead, Limits } from '#src/port/create-port.ts';

import { createHeadCheck } from './check-request-head.ts';
import { createAddressReader } from '#src/http/client-address.ts';
import { createHttpServer, type Answer } from './create-server.ts';
import { drain, type DrainParts, trackUnused } from '#src/port/drain.ts';
import { warnOfOldNode } from './node-version.ts';
import type { SendFile } from './send-file.ts';
import { createInFlightResponses } from '#src/port/in-flight-responses.ts';

/** Longer than any page of ours takes; a proxy in front gives up sooner. */
const drainMs = 10_000;

/**
 * A worker that is replaced has time, and its clients know nothing of it: an idle connection is left for as long as its client was told
 * that it would be, unless that is longer than the rest may take.
 */
function readIdleMs(): number {
  return Math.min(readSetting('KEEP_ALIVE_SECONDS') * 1_000, drainMs - 1_000);
}

/** Longer than a worker is busy with one thing. */
const refusalLimitMs = 2_000;

/** Resolves when no worker takes connections any more, or when one does not say so. */
function hearThatAllRefuse(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, refusalLimitMs);
    onPrimary('all-refuse', () => resolve());
  });
}

/** What differs for one of several workers: whether it alone goes, or all do. */
function planDrain(signal: string): Pick<DrainParts, 'quietMs' | 'untilAllRefuse'> {
  if (signal === renewed) return { quietMs: readIdleMs() };
  if (!thisWorker()) return {};
  const heard = hearThatAllRefuse();
  return { untilAllRefuse: () => heard };
}

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
  server.listen(port, hostname, () => {
    const address = server.address();
    if (typeof address === 'object' && address) announcePort(address.port);
    if (isFirstWorker()) console.log(`Flight Recorder is at ${publicOrigin(serverSettings())}${mountPath}`);
    if (thisWorker()) tellPrimary({ type: 'ready' });
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
  if (isFirstWorker()) warnOfOldNode(settings);
  startListening(server, settings);

  let isStopping = false;
  async function stop(signal: string): Promise<void> {
    if (isStopping) {
      if (!thisWorker()) process.exit(130);
      if (signal !== renewed) beginDraining();
      return;
    }
    isStopping = true;
    beginDraining(signal === renewed);
    // Whoever reads the line may rely on it: who connects from then on is refused. Of several workers, the primary writes it.
    function tellRefusing(): void {
      if (thisWorker()) tellPrimary({ type: 'refusing' });
      else writeLog('info', 'stopping', { signal });
    }
    await drain(server, { inFlight, unused, onRefusing: tellRefusing, ...planDrain(signal) }, drainMs);
    await onStop();
    process.exit(0);
  }
  if (thisWorker()) {
    // Called by Node when the primary takes the port away. It is closed below, where nothing is cut.
    server.close = () => server;
    // A terminal sends its signals to the primary and to each worker, and the primary tells the worker again: all that is one.
    process.on('SIGTERM', (signal) => void stop(signal));
    process.on('SIGINT', () => undefined);
    onPrimary('stop', ({ reason }) => void stop(reason));
    return;
  }
  process.on('SIGTERM', (signal) => void stop(signal));
  process.on('SIGINT', (signal) => void stop(signal));
  // Started by `flight-recorder run`, which has ended without a word: nobody else would end this one.
  if (process.connected) process.on('disconnect', () => void stop('parent-ended'));
}
