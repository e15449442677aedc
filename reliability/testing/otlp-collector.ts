import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** An OpenTelemetry collector that keeps what it gets. It understands OTLP as JSON; of protobuf it keeps the bytes. */
type Request = {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
};

type Value = {
  readonly stringValue?: string;
  readonly intValue?: number | string;
  readonly doubleValue?: number;
  readonly arrayValue?: { readonly values: readonly Value[] };
};
type Pair = { readonly key: string; readonly value: Value };
type RawEvent = { readonly name: string; readonly timeUnixNano: string; readonly attributes: readonly Pair[] };
type RawSpan = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code: number };
  readonly attributes: readonly Pair[];
  readonly events: readonly RawEvent[];
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
};
type RawRecord = {
  readonly traceId?: string;
  readonly spanId?: string;
  readonly eventName?: string;
  readonly timeUnixNano: string;
  readonly severityText?: string;
  readonly attributes: readonly Pair[];
};
type Resource = { readonly attributes: readonly Pair[] };
type Traces = {
  readonly resourceSpans: readonly { resource: Resource; scopeSpans: readonly { spans: readonly RawSpan[] }[] }[];
};
type Logs = {
  readonly resourceLogs: readonly { resource: Resource; scopeLogs: readonly { logRecords: readonly RawRecord[] }[] }[];
};

function readValue({ stringValue, intValue, doubleValue, arrayValue }: Value): unknown {
  if (arrayValue) return arrayValue.values.map(readValue);
  return stringValue ?? (intValue === undefined ? doubleValue : Number(intValue));
}

export function readAttributes(pairs: readonly Pair[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, readValue(value)]));
}

/** Milliseconds since 1970. */
export function readMs(nanoseconds: string): number {
  return Number(BigInt(nanoseconds) / 1_000n) / 1_000;
}

export async function openCollector() {
  const requests: Request[] = [];
  const server = createServer(async (request, response) => {
    requests.push({ path: request.url ?? '', headers: request.headers, body: await buffer(request) });
    response.setHeader('content-type', request.headers['content-type'] ?? '');
    response.end(request.headers['content-type'] === 'application/json' ? '{}' : '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('no port');
  const bodies = (path: string) => requests.filter((one) => one.path === path).map(({ body }) => body.toString());

  return {
    requests,
    endpoint: `http://127.0.0.1:${address.port}`,
    spans(): RawSpan[] {
      const sent = bodies('/v1/traces').map((text): Traces => JSON.parse(text));
      return sent.flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      );
    },
    records(): RawRecord[] {
      const sent = bodies('/v1/logs').map((text): Logs => JSON.parse(text));
      return sent.flatMap(({ resourceLogs }) =>
        resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords)),
      );
    },
    resource(): Readonly<Record<string, unknown>> {
      const [first] = bodies('/v1/traces');
      const sent: Traces = JSON.parse(first ?? '{"resourceSpans":[]}');
      return readAttributes(sent.resourceSpans[0]?.resource.attributes ?? []);
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
