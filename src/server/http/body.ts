import { AsyncLocalStorage } from 'node:async_hooks';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

/**
 * A response body that can go to Node's response without a web stream on the way.
 *
 * Waku, Hono and every middleware see an ordinary `Response` with an ordinary `ReadableStream`, which works when it is
 * read: a static build, a middleware that compresses. The stream is lazy, and when the response reaches the host with
 * its stream still in place, the host finds the body behind it and writes that instead. The first reader gets it.
 */
export type Sink = {
  /** False when it wants no more until `resume`. */
  write(bytes: Uint8Array): boolean;
  end(bytes: Uint8Array): void;
  destroy(error: unknown): void;
};

export type BodyStart = {
  readonly bytes: Uint8Array;
  /** There is no more than `bytes`. */
  readonly isComplete: boolean;
  /** The coding of these bytes and of all that follow; none when absent. */
  readonly encoding?: 'gzip';
};

export type Body = {
  /**
   * Gets the first bytes ready without sending them, where they may have to wait for something. Called before `start`, if
   * at all: who does not call it is sent them late instead of at once.
   * @returns what to wait for; undefined when there is nothing
   */
  settle?(): Promise<void> | undefined;
  /**
   * Lets the body flow into `sink`; once.
   * @returns what is there already, which does not go to the sink
   */
  start(sink: Sink): BodyStart;
  resume(): void;
  /**
   * Called by who sends it, once, when the last byte was handed on: how many bytes the body has, and as how many they were sent.
   * @param transferred undefined where somebody else sends them
   */
  sent?(response: number, transferred: number | undefined): void;
  /** The body is no longer wanted. Stops the rendering behind it. */
  cancel(): void;
};

/**
 * A property of the stream and of the response. With a `WeakMap` every page would outlive its request, because V8's short
 * garbage collections keep a `WeakMap`'s values; copying finished pages took a sixth of the CPU time.
 */
const bodyKey = Symbol('body');

/** The body as a web stream that nothing runs for until it is read. */
export function toWebStream(body: Body): ReadableStream<Uint8Array> {
  let isStarted = false;
  let size = 0;
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (isStarted) return body.resume();
        isStarted = true;
        const first = body.start({
          write(bytes) {
            size += bytes.byteLength;
            controller.enqueue(bytes);
            return (controller.desiredSize ?? 0) > 0;
          },
          end(bytes) {
            if (bytes.byteLength > 0) controller.enqueue(bytes);
            controller.close();
            body.sent?.(size + bytes.byteLength, undefined);
          },
          destroy: (error) => controller.error(error),
        });
        size += first.bytes.byteLength;
        if (first.bytes.byteLength > 0) controller.enqueue(first.bytes);
        if (!first.isComplete) return;
        controller.close();
        body.sent?.(size, undefined);
      },
      cancel: () => body.cancel(),
    },
    { highWaterMark: 0 },
  );
  return Object.assign(stream, { [bodyKey]: body });
}

export function toResponse(body: Body, init: ResponseInit): Response {
  return Object.assign(new Response(toWebStream(body), init), { [bodyKey]: body });
}

/** The body behind a response or stream of this module, also when the response was rebuilt around the same stream. */
export function findBody(source: Response | ReadableStream): Body | undefined {
  const body: Body | undefined = Reflect.get(source, bodyKey);
  if (body || source instanceof ReadableStream) return body;
  return source.body && !source.bodyUsed ? findBody(source.body) : undefined;
}

/**
 * React's and the request's asynchronous contexts must not reach the socket. It outlives them, and each write request that
 * carries a context keeps a finished render in memory until a full garbage collection.
 */
const runOutsideRequest = AsyncLocalStorage.snapshot();

/** Writes status, headers and body; with a content length when the body is complete at once. */
export function sendBody(body: Body, outgoing: ServerResponse, status: number, headers: OutgoingHttpHeaders): void {
  if (outgoing.destroyed) return body.cancel();
  let size = 0;
  const first = body.start({
    write(bytes) {
      size += bytes.byteLength;
      return !outgoing.destroyed && runOutsideRequest(() => outgoing.write(bytes));
    },
    end(bytes) {
      if (outgoing.destroyed) return;
      runOutsideRequest(() => outgoing.end(bytes));
      size += bytes.byteLength;
      body.sent?.(size, size);
    },
    // The status is sent: breaking the connection is the only way left to say that this is not all.
    destroy: () => outgoing.destroy(),
  });
  size += first.bytes.byteLength;
  const encoding = first.encoding ? { 'content-encoding': first.encoding } : {};
  if (first.isComplete) {
    outgoing.writeHead(status, { ...headers, ...encoding, 'content-length': size });
    outgoing.end(first.bytes);
    body.sent?.(size, size);
    return;
  }
  outgoing.on('close', () => {
    if (!outgoing.writableFinished) body.cancel();
  });
  outgoing.on('drain', () => body.resume());
  outgoing.writeHead(status, { ...headers, ...encoding });
  if (first.bytes.byteLength > 0) outgoing.write(first.bytes);
  else outgoing.flushHeaders();
}
