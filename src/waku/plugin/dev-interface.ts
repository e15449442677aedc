import path from 'node:path';

import type { Plugin } from 'vite';

import { readVariable } from '#src/server/environment/variables.ts';
import { feedbackPath, toldPath, tunnelPath, usagePath } from '#src/server/http/addresses.ts';
import { describeError } from '#boundary';
import { mountInterface } from '#src/waku/mount/mount-interface.ts';

import type { Beside } from '../beside/beside.ts';
import { startBeside } from '../beside/start-beside.ts';
import { startElsewhere } from '../beside/start-elsewhere.ts';
import { startNowhere } from '../beside/start-nowhere.ts';
import type { AppFacts } from './app-facts.ts';
import type { ReadOptions } from './options.ts';

declare global {
  /** In development the interface is Vite's to start and to end; the app's side runs in the same process and finds it here. */
  var __FLIGHT_BESIDE__: Promise<Beside | undefined> | undefined;
}

export type InterfaceOptions = {
  readonly options: ReadOptions;
  readonly facts: () => AppFacts;
  /** The build that is copied to a mount path. */
  readonly mountable: string;
};

/** The copy for `waku dev`: away from `dist`, which a build empties. */
export function toDevFolder({ root }: AppFacts): string {
  return path.join(root, 'node_modules/.flight-recorder/interface');
}

async function openInterface(
  { options, facts, mountable }: InterfaceOptions,
  port: number,
): Promise<Beside | undefined> {
  const { app, mountPath: mount, parts } = facts();
  const isUsed = mount !== undefined || parts.digests || parts.recorder || parts.reports;
  if (!isUsed) return undefined;
  const to = readVariable('FLIGHT_RECORDER') || options.to;
  if (to !== undefined) return startElsewhere({ to, mode: 'development' });
  if (mount === undefined) return startNowhere('development');
  const folder = toDevFolder(facts());
  await mountInterface({ from: mountable, to: folder, mount });
  return startBeside({ folder, data: options.data, mount, app, mode: 'development', port });
}

/** As src/server/http/addresses.ts spells them, which begin elsewhere in this process. */
function isOfBrowsers(pathname: string, { reportsMount }: AppFacts): boolean {
  return [tunnelPath, usagePath, toldPath, feedbackPath].some((address) => pathname === reportsMount + address);
}

/** The interface beside the dev server, at the mount path of Vite's own server. */
export function devInterface(interfaceOptions: InterfaceOptions): Plugin {
  const { facts } = interfaceOptions;
  return {
    name: 'flight-recorder:dev-interface',
    apply: 'serve',
    configureServer(server) {
      const opened = openInterface(interfaceOptions, server.config.server.port).catch((error: unknown) => {
        server.config.logger.error(`flight-recorder: the interface did not start: ${describeError(error)}`);
        return undefined;
      });
      globalThis.__FLIGHT_BESIDE__ = opened;
      server.middlewares.use(async function flightRecorder(incoming, outgoing, next) {
        const pathname = (incoming.originalUrl ?? incoming.url ?? '').split('?')[0] ?? '';
        // What the app's browsers post is taken by the app's side (record-requests.ts), as in a build.
        const beside = isOfBrowsers(pathname, facts()) ? undefined : await opened;
        if (beside?.owns(pathname)) beside.forwardNode(incoming, outgoing);
        else next();
      });
      server.httpServer?.once('close', () => void opened.then((beside) => beside?.stop()));
    },
  };
}
