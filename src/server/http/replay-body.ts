/**
 * The replayed body: a body was read and counted, and the next reader of the same request gets the same bytes again, at
 * another address if need be. The request stays the same object. A new `Request` around the bytes would copy the headers
 * twice, follow the first one's abort signal, and cost more than decoding the arguments.
 *
 * The properties are set on the object itself, where they hide those of its class: Hono's lightweight request in a build,
 * Node's in a test. Only what Waku reads is replaced. `json`, `blob`, `bytes` and `bodyUsed` still speak of the consumed
 * body, and so does a copy of the request (`clone`, `new Request(request)`): nothing behind this makes one. Waku makes a
 * `new Request(url, request)` for a route of the API, which reads the properties one by one and so gets these.
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
