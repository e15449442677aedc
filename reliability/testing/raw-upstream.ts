import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';

/**
 * An app whose every byte is the test's own: no HTTP library in between adds, orders or repairs anything. It reads requests
 * one after the other from each connection and calls what the test has set for their path.
 */
type RawRequest = {
  /** The head as it came, without the empty line. */
  readonly head: string;
  readonly path: string;
  /** Taken apart where it was chunked; `trailers` as they came. */
  readonly body: string;
  readonly trailers: string;
  readonly socket: Socket;
  /** Which connection of this upstream it came on, from 0. */
  readonly connection: number;
};

type Answer = (request: RawRequest) => void;

export type RawUpstream = {
  readonly port: number;
  readonly requests: RawRequest[];
  /** What answers a path; `onHead` as soon as its head is there. */
  readonly on: (path: string, answer: Answer, when?: 'onHead') => void;
  readonly stop: () => Promise<void>;
};

type Body = { readonly body: string; readonly trailers: string; readonly rest: string };

/** @returns undefined until all of it is there */
export function takeBody(head: string, after: string): Body | undefined {
  const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
  if (!/^transfer-encoding: *chunked/im.test(head)) {
    return after.length < length
      ? undefined
      : { body: after.slice(0, length), trailers: '', rest: after.slice(length) };
  }
  let body = '';
  for (let at = 0; ;) {
    const lineEnd = after.indexOf('\r\n', at);
    if (lineEnd === -1) return undefined;
    const size = Number.parseInt(after.slice(at, lineEnd), 16);
    if (size === 0) {
      const end = after.indexOf('\r\n\r\n', lineEnd);
      if (end === -1) return undefined;
      return { body, trailers: after.slice(lineEnd + 2, end + 2), rest: after.slice(end + 4) };
    }
    body += after.slice(lineEnd + 2, lineEnd + 2 + size);
    at = lineEnd + 2 + size + 2;
  }
}

async function listen(
  server: Server,
  where: { readonly path: string } | { readonly port: number; readonly host: string },
) {
  server.listen(where);
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

/** @param create of a server that gives sockets: plain, or with TLS */
export async function startRawUpstream(
  where: { readonly path: string } | undefined = undefined,
  create: (onSocket: (socket: Socket) => void) => Server = createServer,
): Promise<RawUpstream> {
  const answers = new Map<string, { answer: Answer; when: 'onHead' | 'whole' }>();
  const requests: RawRequest[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;

  function serve(socket: Socket): void {
    const connection = connections++;
    let text = '';
    let isAnswered = false;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1');
      for (;;) {
        const end = text.indexOf('\r\n\r\n');
        if (end === -1) return;
        const head = text.slice(0, end);
        const path = head.split(' ')[1]?.split('?')[0] ?? '';
        const entry = answers.get(path);
        const whole = takeBody(head, text.slice(end + 4));
        const request = { head, path, body: whole?.body ?? '', trailers: whole?.trailers ?? '', socket, connection };
        if (entry?.when === 'onHead' && !isAnswered) {
          isAnswered = true;
          requests.push(request);
          entry.answer(request);
        }
        if (!whole) return;
        text = whole.rest;
        if (entry?.when !== 'onHead') {
          requests.push(request);
          if (entry) entry.answer(request);
          else socket.write('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n');
        }
        isAnswered = false;
      }
    });
  }

  const server = create(serve);
  const port = await listen(server, where ?? { port: 0, host: '127.0.0.1' });
  return {
    port,
    requests,
    on: (path, answer, when) => void answers.set(path, { answer, when: when ?? 'whole' }),
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      if (server.listening) await once(server, 'close');
    },
  };
}
