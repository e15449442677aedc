import 'server-only';

/**
 * Gives a request whose body has been read that body back, at another address if need be: whoever comes next finds a
 * request that nobody has touched, with the bytes that were counted here. The same object, because a new `Request` around
 * the bytes copies the headers twice, follows the first one's abort signal, and costs more than decoding the arguments.
 *
 * Own properties stand before those of the class, whichever it is: Hono's light request in a build, Node's in a test.
 * A copy of the request (`new Request(request)`) would not have them; nobody behind this makes one.
 */
export type Again = { readonly url: string; readonly body: Uint8Array<ArrayBuffer> };

const decoder = new TextDecoder();

function toStream(body: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      pull(controller) {
        controller.enqueue(body);
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}

function parseForm({ headers }: Request, body: Uint8Array<ArrayBuffer>): Promise<FormData> {
  return new Response(body, { headers: { 'content-type': headers.get('content-type') ?? '' } }).formData();
}

export function readAgain(request: Request, { url, body }: Again): void {
  let stream: ReadableStream<Uint8Array> | undefined;
  Object.defineProperties(request, {
    url: { value: url },
    body: { get: () => (stream ??= toStream(body)) },
    arrayBuffer: { value: async () => body.slice().buffer },
    text: { value: async () => decoder.decode(body) },
    formData: { value: () => parseForm(request, body) },
  });
}
