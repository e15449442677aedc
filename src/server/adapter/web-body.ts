import 'server-only';

import type { Body, Sink } from '#src/server/http/body.ts';

type Read = Awaited<ReturnType<ReadableStreamDefaultReader<Uint8Array>['read']>>;

const nothing = new Uint8Array();

function nextTurn(): Promise<false> {
  return new Promise((resolve) => setImmediate(resolve, false));
}

/**
 * An ordinary response's stream as a body. Waits for its first chunk and one turn of the event loop more, so that a body
 * that is complete at once is known to be complete, and one that fails at once can still become an error page.
 * @throws what the stream fails with before its first chunk
 */
export async function readAhead(stream: ReadableStream<Uint8Array>): Promise<Body> {
  const reader = stream.getReader();
  let resumed: (() => void) | undefined;

  async function forward(next: Promise<Read>, sink: Sink): Promise<void> {
    try {
      for (let read = await next; !read.done; read = await reader.read()) {
        if (sink.write(read.value)) continue;
        await new Promise<void>((resolve) => {
          resumed = resolve;
        });
      }
      sink.end(nothing);
    } catch (error) {
      sink.destroy(error);
    }
  }

  const first = await reader.read();
  const next = first.done ? Promise.resolve(first) : reader.read();
  const isComplete = await Promise.race([next.then(({ done }) => done).catch(() => false), nextTurn()]);
  return {
    start(sink) {
      if (!isComplete) void forward(next, sink);
      return { bytes: first.value ?? nothing, isComplete };
    },
    resume: () => resumed?.(),
    cancel() {
      resumed?.();
      // The client has gone: nobody is left to tell when the source cannot stop.
      reader.cancel().catch(() => undefined);
    },
  };
}
