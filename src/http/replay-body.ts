/**
 * Gives a request whose body has been read that body back, at another address if need be: whoever comes next reads the
 * bytes that were counted here. The same object, because a new `Request` around the bytes copies the headers twice,
 * follows the first one's abort signal, and costs more than decoding the arguments.
 *
 * Own properties stand before those of the class, whichever it is: Hono's light request in a build, Node's in a test.
 * They are what Waku reads. `json`, `blob`, `bytes` and `bodyUsed` tell of the body that was consumed, and so does a
 * copy of the request, by `clone` or `new Request(request)`: nobody behind this makes one. `new Request(url, request)`,
 * as Waku does for a route of the API, takes the properties one by one, and so takes these.
 */
export type ReplayedBody = { readonly url: string; readonly body: Uint8Array<ArrayBuffer> };

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

export function replayBody(request: Request, { url, body }: ReplayedBody): void {
  let stream: ReadableStream<Uint8Array> | undefined;
  Object.defineProperties(request, {
    url: { value: url },
    body: { get: () => (stream ??= toStream(body)) },
    arrayBuffer: { value: async () => body.slice().buffer },
    text: { value: async () => decoder.decode(body) },
    formData: { value: () => parseForm(request, body) },
  });
}
