import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';

import { createQuiet } from './wait-for-quiet.ts';

/**
 * A proxy that keeps what a browser and an app really sent each other: both heads as they came, and each piece of the
 * body with its time. It changes nothing, `Host` included.
 * It is for tests: it holds everything in memory, and it sets no limits.
 */
export type Exchange = {
  /** The step of the journey in which the request came. */
  readonly step: string;
  readonly method: string;
  readonly target: string;
  /** As they came: name, value, name, value, … */
  readonly requestHeaders: readonly string[];
  readonly requestBody: Buffer;
  readonly status: number;
  readonly responseHeaders: readonly string[];
  /** Milliseconds since the request came, and the bytes: without the framing of chunked encoding, still compressed. */
  readonly chunks: readonly (readonly [number, Buffer])[];
  /** Whether the answer came to its end. */
  readonly isComplete: boolean;
};

type CaptureProxy = {
  readonly origin: string;
  readonly exchanges: () => readonly Exchange[];
  /** Names what happens from now on. */
  readonly beginStep: (step: string) => void;
  /** Waits until no request is open and none came for `quietMs`. @throws when that is not reached */
  readonly settle: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(Buffer.from(part));
  return Buffer.concat(parts);
}

/** Sends the request on and returns once the answer has ended for the client, too. */
async function forward(
  appPort: number,
  step: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<Exchange> {
  const begin = performance.now();
  const requestBody = await readBody(incoming);
  const { method = 'GET', url: target = '/', rawHeaders: requestHeaders } = incoming;
  return await new Promise((resolve, reject) => {
    const upstream = request({ port: appPort, host: '127.0.0.1', method, path: target, setDefaultHeaders: false });
    for (let index = 0; index < requestHeaders.length; index += 2) {
      const name = requestHeaders[index] ?? '';
      // The body was read to its end, so its length is known and its own framing is gone.
      if (name.toLowerCase() !== 'transfer-encoding') upstream.appendHeader(name, requestHeaders[index + 1] ?? '');
    }
    upstream.on('response', (answer) => {
      const chunks: [number, Buffer][] = [];
      const { statusCode: status = 0, rawHeaders: responseHeaders } = answer;
      outgoing.writeHead(status, responseHeaders);
      outgoing.flushHeaders();
      answer.on('data', (bytes: Buffer) => {
        chunks.push([Math.round((performance.now() - begin) * 10) / 10, bytes]);
        outgoing.write(bytes);
      });
      answer.on('error', () => outgoing.destroy());
      answer.on('close', () => {
        if (answer.complete) outgoing.end();
        else outgoing.destroy();
        const isComplete = answer.complete;
        resolve({ step, method, target, requestHeaders, requestBody, status, responseHeaders, chunks, isComplete });
      });
      outgoing.on('close', () => answer.destroy());
    });
    upstream.on('error', reject);
    upstream.end(requestBody);
  });
}

export async function startCaptureProxy(appPort: number): Promise<CaptureProxy> {
  const exchanges: Exchange[] = [];
  let step = 'start';
  const quiet = createQuiet();
  const server = createServer({ keepAliveTimeout: 60_000 }, (incoming, outgoing) => {
    quiet.begin();
    void forward(appPort, step, incoming, outgoing)
      .then((exchange) => exchanges.push(exchange))
      // The client left, or the app broke off before a head: there is no answer to keep.
      .catch(() => outgoing.destroy())
      .finally(quiet.end);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('The proxy has no port');

  async function close(): Promise<void> {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }

  return {
    origin: `http://127.0.0.1:${address.port}`,
    exchanges: () => exchanges,
    beginStep: (name) => {
      step = name;
    },
    settle: quiet.wait,
    [Symbol.asyncDispose]: close,
  };
}
