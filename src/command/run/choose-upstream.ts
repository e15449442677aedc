import { isLoopbackName } from '#src/server/environment/reachability.ts';

import { findFreePort } from '../ports.ts';

/** Where the app under `run` is to listen, or says that it does. */
export type ChosenUpstream = {
  /** What the app finds in `PORT`. */
  readonly port: number;
  /** Where the proxy asks it. */
  readonly to: string;
  /** The port of this machine at which it is expected; undefined where that cannot be seen, as with a Unix socket. */
  readonly awaited: number | undefined;
};

/** The port that an address names, when it is one of this machine. */
function readLocalPort(to: string): number | undefined {
  const { hostname, port } = URL.parse(to) ?? { hostname: '', port: '' };
  return isLoopbackName(hostname) && port !== '' ? Number(port) : undefined;
}

/** @param given the option `--to`: where an app listens that chooses its port itself */
export async function chooseUpstream(given: string | undefined): Promise<ChosenUpstream> {
  if (given !== undefined) {
    const awaited = readLocalPort(given);
    return { port: awaited ?? (await findFreePort()), to: given, awaited };
  }
  const port = await findFreePort();
  // By its name: some servers listen on one of the two loopback addresses alone.
  return { port, to: `http://localhost:${port}`, awaited: port };
}

/** For an app that is not there after a while. @param found where the app's own output says that it listens */
export function explainAbsence(
  { port, to }: ChosenUpstream,
  given: string | undefined,
  found: string | undefined,
  call: { readonly program: string; readonly command: readonly string[] },
): string {
  const named = found === undefined ? '' : `; the app names ${found}`;
  if (given !== undefined) return `nothing listens at ${to} yet${named}`;
  const typed = `${call.program} run --to ${found ?? 'http://localhost:<port>'} -- ${call.command.join(' ')}`;
  return `nothing listens at port ${port}, which the app was given as PORT. If it chooses its port itself: ${typed}`;
}
