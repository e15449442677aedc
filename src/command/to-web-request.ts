import type { IncomingMessage } from 'node:http';

/** Whoever leaves the body half-way gets no more of it; what still comes is thrown away, so that the answer can be sent. */
function openBody(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  let stop: () => void = () => {};
  return new ReadableStream({
    start(controller) {
      function take(bytes: Buffer): void {
        controller.enqueue(new Uint8Array(bytes));
        if ((controller.desiredSize ?? 0) <= 0) incoming.pause();
      }
      function end(): void {
        controller.close();
      }
      // A stream that was left is closed, and to close it again throws. An error of it may come at any time.
      stop = () => incoming.off('data', take).off('end', end).resume();
      incoming.on('data', take).on('end', end);
      incoming.on('error', (error) => controller.error(error));
    },
    pull: () => void incoming.resume(),
    cancel: () => stop(),
  });
}

/** A request of Node's server as the web has it. */
export function toWebRequest(incoming: IncomingMessage): Request {
  const { method = '', url = '', headers } = incoming;
  const known = new Headers();
  for (const [name, value] of Object.entries(headers)) if (typeof value === 'string') known.set(name, value);
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const body = hasBody ? { body: openBody(incoming), duplex: 'half' as const } : {};
  return new Request(new URL(url, `http://${headers.host ?? 'localhost'}`), { method, headers: known, ...body });
}
