import { connect } from 'node:net';

/**
 * Sends bytes to a socket and returns what comes back. There is no client in between that would repair, refuse or
 * repeat anything.
 */
export type RawAnswer = {
  /** Latin-1, so that every byte is one character. */
  readonly text: string;
  /** In order. A pipelined request or an interim 100 adds its own status. */
  readonly statuses: readonly number[];
  /**
   * `server`: the server closed the connection. `reset`: it cut it. `nobody`: it was still open when `waitMs` had
   * passed.
   */
  readonly closedBy: 'server' | 'reset' | 'nobody';
  /** From connecting to the end, or to the last byte when nobody closed. */
  readonly tookMs: number;
};

export type RawOptions = {
  /** How long to wait for the server to close, counted from the last byte that came. */
  readonly waitMs?: number;
  /** Half-closes after the bytes. A client that has sent its request does not; one that gave up does. */
  readonly halfClose?: boolean;
};

const statusPattern = /^HTTP\/1\.1 (\d{3}) /gm;

/** @throws when nobody listens */
export async function exchangeRaw(port: number, bytes: string, options: RawOptions = {}): Promise<RawAnswer> {
  const { waitMs = 2_000, halfClose = false } = options;
  const begin = performance.now();
  return await new Promise((resolve, reject) => {
    let text = '';
    const socket = connect({ port, host: '127.0.0.1' });
    socket.setEncoding('latin1').setNoDelay(true).setTimeout(waitMs);
    function finish(closedBy: RawAnswer['closedBy']): void {
      const statuses = Array.from(text.matchAll(statusPattern), (match) => Number(match[1]));
      resolve({ text, statuses, closedBy, tookMs: performance.now() - begin });
      socket.destroy();
    }
    socket.on('connect', () => (halfClose ? socket.end(bytes, 'latin1') : socket.write(bytes, 'latin1')));
    socket.on('data', (chunk) => (text += String(chunk)));
    socket.on('end', () => finish('server'));
    socket.on('timeout', () => finish('nobody'));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') reject(error);
      else finish('reset');
    });
  });
}
