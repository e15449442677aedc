import 'server-only';

import path from 'node:path';

import { config } from 'virtual:vite-rsc-waku/config';
import { startFlights } from 'virtual:flight-recorder/flights';
import { digests, mountPath, serverTime } from 'virtual:flight-recorder/options';
import { app, data, interfaceFolder, to } from 'virtual:flight-recorder/server-options';

import { readAppBuild } from '#src/apps/app-announcement.ts';
import { readVariable } from '#src/server/environment/variables.ts';
import { describeError } from '#boundary';

import type { Beside } from '../beside/beside.ts';
import { startBeside } from '../beside/start-beside.ts';
import { startElsewhere } from '../beside/start-elsewhere.ts';
import { startNowhere } from '../beside/start-nowhere.ts';
import { createErrorSink } from './error-sink.ts';
import { startInside } from './start-inside.ts';

const release = import.meta.env.WAKU_BUILD_ID ?? '';
/** In the app's `dist`, as the plugin leaves them (hidden-maps.ts). */
const mapsFolder = 'maps';

/** Starts what runs beside the built app: the interface of its `dist`, or the way to a recorder elsewhere. */
async function openBuilt(port: number | undefined): Promise<Beside> {
  const elsewhere = readVariable('FLIGHT_RECORDER') || to;
  if (elsewhere !== undefined) return startElsewhere({ to: elsewhere, mode: 'production' });
  if (mountPath === undefined || interfaceFolder === undefined) return startNowhere('production');
  const folder = path.resolve(config.distDir, interfaceFolder);
  const build = readAppBuild(release, path.resolve(config.distDir, mapsFolder));
  return startBeside({ folder, data, mount: mountPath, app, mode: 'production', port, build });
}

/** Who asks a process to end, and does not wait for long. */
const endSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
/** What waits is written within a quarter of a second (write-flights.ts); a recorder elsewhere may take longer, or not answer. */
const endMs = 2_000;

/**
 * At the end what waits is written. A signal ends a process at once only where nobody listens to it: where the app itself does, the
 * end is the app's.
 */
function stopAtEnd(stop: () => Promise<void>): void {
  for (const signal of endSignals) {
    process.once(signal, async () => {
      const isOurs = process.listenerCount(signal) === 0;
      const limit = new Promise((resolve) => setTimeout(resolve, endMs).unref());
      await Promise.race([stop(), limit]);
      if (isOurs) process.kill(process.pid, signal);
    });
  }
}

async function open(port: number | undefined): Promise<Beside | undefined> {
  const beside = import.meta.env.DEV ? await globalThis.__FLIGHT_BESIDE__ : await openBuilt(port);
  if (!beside) return undefined;
  const stop = await startInside({
    app,
    beside,
    data,
    release,
    isTimed: serverTime,
    // A bundler drops what is not named here, with all that it imports.
    createSink: digests ? createErrorSink : undefined,
    startFlights,
  });
  if (import.meta.env.PROD) {
    stopAtEnd(async () => {
      await stop();
      await beside.stop();
    });
  }
  return beside;
}

let opened: Promise<Beside | undefined> | undefined;

/**
 * Once for a process. It never rejects: without Flight Recorder the app runs on.
 * @param port on which the app listens, where it is known
 */
export function openInside(port?: number): Promise<Beside | undefined> {
  opened ??= open(port).catch((error: unknown) => {
    console.error(`flight-recorder: nothing is recorded: ${describeError(error)}`);
    return undefined;
  });
  return opened;
}
