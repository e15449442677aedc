import { connect, createServer } from 'node:net';

/** A port that nothing listens on now, of all that the system gives. */
export async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address === 'object' && address) return address.port;
  throw new Error('the system gave no port');
}

/** @throws with one line that names the option to change */
export async function requireFreePort(port: number, option: string): Promise<void> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  } catch (error) {
    throw explainListenFailure(error, port, option);
  }
  await new Promise((resolve) => server.close(resolve));
}

/** What `listen` failed with, in one line for the person who typed the command. */
export function explainListenFailure(error: unknown, port: number, option: string): Error {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const problems = { EADDRINUSE: 'is in use', EACCES: 'needs more rights' };
  const problem = code === 'EADDRINUSE' || code === 'EACCES' ? problems[code] : undefined;
  if (problem === undefined) return error instanceof Error ? error : new Error(String(error));
  return new Error(`port ${port} ${problem}; choose another with ${option}`, { cause: error });
}

/** Often enough for a person who waits for a page. */
const pollMs = 200;

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    // Some servers listen on one of the two loopback addresses alone: both are tried.
    const socket = connect({ port, host: 'localhost' });
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

/** Resolves when something listens on `port` of this machine; never, when `signal` is aborted before. */
export function waitForPort(port: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    async function look(): Promise<void> {
      const isThere = await canConnect(port);
      if (signal.aborted) return;
      if (isThere) resolve();
      else setTimeout(() => void look(), pollMs);
    }
    void look();
  });
}
