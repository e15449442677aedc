import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * A head that never ends is held by Node's parser as two texts for each header, two to three times what was sent, until its time is
 * over; what V8 has taken for them stays with the process. 3,000 connections with 64 KiB each took 350 MiB, and Node has no limit for all
 * of them together. So the connections on which a head may be arriving are looked at, and when they have brought too much in sum, the
 * largest are refused. The head of a usual client comes in one piece, and is never among them.
 */
type Heads = {
  /** A request has begun: what its connection brings is a body. */
  readonly end: (incoming: IncomingMessage, outgoing?: ServerResponse) => void;
};

/** 2,000 times what Node takes by itself. A plain Node app holds as much for 2,000 connections, and more. */
const mostUnfinished = 32 * 1024 * 1024;
/** What can come in this time stays below the limit itself. Ten thousand idle connections take half a millisecond. */
const lookEveryMs = 100;
/** What comes in one packet is no attack. */
const smallest = 1_500;

/** As Node says that a head is too large. */
export const tooManyHeads = 'ERR_TOO_MANY_HEADS';

export function limitUnfinishedHeads(server: Server): Heads {
  /** How many bytes each connection had brought before its head began. */
  const begun = new Map<Socket, number>();
  /** How many requests of a connection are in flight or wait. */
  const requests = new WeakMap<Socket, number>();
  let timer: NodeJS.Timeout | undefined;

  function remove(this: Socket): void {
    begun.delete(this);
  }

  function look(): void {
    const large = [...begun]
      .map(([socket, before]) => ({ socket, bytes: socket.bytesRead - before }))
      .filter(({ bytes }) => bytes >= smallest);
    let sum = large.reduce((total, { bytes }) => total + bytes, 0);
    if (sum > mostUnfinished) {
      // Down to half, or the next look would come to the same.
      for (const { socket, bytes } of large.toSorted((a, b) => b.bytes - a.bytes)) {
        if (sum <= mostUnfinished / 2) break;
        sum -= bytes;
        begun.delete(socket);
        server.emit(
          'clientError',
          Object.assign(new Error('too many unfinished heads'), { code: tooManyHeads }),
          socket,
        );
      }
    }
    if (begun.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  function begin(socket: Socket): void {
    if (socket.destroyed || (requests.get(socket) ?? 0) > 0) return;
    begun.set(socket, socket.bytesRead);
    timer ??= setInterval(look, lookEveryMs).unref();
  }

  function finish(socket: Socket): void {
    requests.set(socket, (requests.get(socket) ?? 1) - 1);
    begin(socket);
  }

  // One listener for all, as in in-flight-responses.ts. The rest of a body that was answered early is no head.
  function finishBody(this: IncomingMessage): void {
    finish(this.socket);
  }
  function finishAnswer(this: ServerResponse): void {
    if (this.req.complete) finish(this.req.socket);
    else this.req.on('close', finishBody);
  }

  server.on('connection', (socket: Socket) => begin(socket.on('close', remove)));
  return {
    end(incoming, outgoing) {
      const { socket } = incoming;
      begun.delete(socket);
      requests.set(socket, (requests.get(socket) ?? 0) + 1);
      outgoing?.on('close', finishAnswer);
    },
  };
}
