/**
 * The memory into which responses are read. By itself Node takes new memory for each piece that it reads and leaves it to the
 * garbage collector, which runs for JavaScript's objects and not for these: under load, more than 100 MiB of pieces that had
 * been sent waited for it. Here a piece's memory is used again as soon as the client's connection has sent it.
 */
export type ReadBuffer = {
  readonly bytes: Buffer;
  /** The bytes are needed until `release` was called once more. */
  readonly hold: () => void;
  readonly release: () => void;
  /** Somebody but the connection that reads into it needs the bytes. */
  readonly isHeld: () => boolean;
};

export type ReadBuffers = {
  /** A buffer that is held once. */
  readonly take: () => ReadBuffer;
};

/** Each connection has one, the idle too. It holds a usual page with its head; large downloads cost no more with 64 KiB. */
const bufferSize = 16 * 1024;
/** What stays when the load is over: 4 MiB. */
const mostFree = 256;

export function createReadBuffers(): ReadBuffers {
  const free: ReadBuffer[] = [];

  function create(): ReadBuffer {
    let holders = 0;
    const buffer: ReadBuffer = {
      bytes: Buffer.allocUnsafeSlow(bufferSize),
      hold: () => void (holders += 1),
      release() {
        holders -= 1;
        if (holders === 0 && free.length < mostFree) free.push(buffer);
      },
      isHeld: () => holders > 1,
    };
    return buffer;
  }

  return {
    take() {
      const buffer = free.pop() ?? create();
      buffer.hold();
      return buffer;
    },
  };
}
