import { gzipSync } from 'node:zlib';

import { describe, expect, it } from 'vitest';

import { openFlights, type OpenedInput, writeFlightFile, type FlightFile } from '#flight';

import { decodeFound, performDecodeTask } from './decode-task.ts';
import { describeFound, describeReason, sizeOf, toOpenedFlight } from './describe-found.ts';

const payload = '1:I["m",[],"C"]\n0:["$","$L1",null,{}]\n';
const page = `<!DOCTYPE html><html><body><script>(self.__FLIGHT_DATA||=[]).push(${JSON.stringify(payload)});</script></body></html>`;
const form =
  '--b0\r\nContent-Disposition: form-data; name="0"\r\n\r\n["a","$Q1"]\r\n--b0\r\nContent-Disposition: form-data; name="1"\r\n\r\n[["k",1]]\r\n--b0--\r\n';

const exported: FlightFile = {
  facts: {
    requestId: 'r',
    traceId: 't',
    visit: null,
    kind: 'action',
    method: 'POST',
    path: '/lab',
    query: ['a', 'b'],
    route: '/lab',
    build: '',
    status: 200,
    rendering: 'dynamic',
    outcome: 'complete',
    startedAt: '2026-11-20T10:00:00.000Z',
    firstByteMs: 5,
    durationMs: 20,
    bytes: payload.length,
    digests: [],
    action: 'src/a.ts#save',
    hits: 1,
    lastAt: null,
  },
  content: 'flight',
  chunks: [
    [5, 10],
    [20, payload.length - 10],
  ],
  body: new TextEncoder().encode(payload),
  debug: null,
  elements: [],
  elided: [],
  arguments: { contentType: 'text/plain', bytes: 5, body: new TextEncoder().encode('["a"]') },
};

function find(text: string | Uint8Array, isPasted = false): Promise<OpenedInput> {
  return openFlights(typeof text === 'string' ? new TextEncoder().encode(text) : text, { isPasted });
}

function toHar(entries: readonly object[]): string {
  return JSON.stringify({ log: { version: '1.2', entries } });
}

function titles(input: OpenedInput): string[] {
  if (input.kind === 'unreadable') return [describeReason(input.reason, input.detail).title];
  return input.flights.map((found) => describeFound(found, 'it').title);
}

function open(input: OpenedInput, index = 0) {
  const found = input.kind === 'flights' ? input.flights[index] : undefined;
  if (!found) throw new Error(titles(input).join());
  return toOpenedFlight(found, decodeFound(found).flight, 'it');
}

describe('what somebody has', () => {
  it('says for the waterfall what the server waited for, of an exported flight and not of its arguments', async () => {
    const span = { name: 'GET a', kind: 'client', at: 2, ms: 8, depth: 0, ownMs: 8, hasFailed: false } as const;
    const serverTime = { tellers: ['opentelemetry'], movedMs: 0, left: 0, spans: [span] } as const;
    const input = await find(writeFlightFile({ ...exported, serverTime }));
    expect(open(input).requests).toEqual([{ name: 'GET a', from: 2, until: 10 }]);
    expect(open(input, 1).requests).toBeUndefined();
    expect(open(await find(writeFlightFile(exported))).requests).toBeUndefined();
  });

  it('takes a payload as it is', async () => {
    const { flight, bytes } = open(await find(payload));
    expect(flight.state).toEqual({ kind: 'complete' });
    expect(bytes).toEqual(new TextEncoder().encode(payload));
  });

  it('gives pasted text back the line end that pasting took', async () => {
    expect(open(await find(payload.trimEnd())).flight.state.kind).toBe('truncated');
    expect(open(await find(payload.trimEnd(), true)).flight.state.kind).toBe('complete');
  });

  it('says where a payload is broken, and decodes the rest', async () => {
    const { flight } = open(await find('1:"ok"\n2:{"broken\n0:"$1"\n'));
    expect(flight.state).toMatchObject({ kind: 'malformed', at: 17 });
    expect(flight.rows.count).toBe(3);
  });

  it('finds it in a page, and in a page that is gzipped', async () => {
    expect(open(await find(page)).flight.state.kind).toBe('complete');
    expect(open(await find(new Uint8Array(gzipSync(page)))).flight.state.kind).toBe('complete');
  });

  it('says what was mended', async () => {
    const opened = open(await find(Buffer.from(payload).toString('base64')));
    expect(opened.flight.state.kind).toBe('complete');
    expect(opened.facts).toEqual([{ name: 'Mended', value: 'it was in base64' }]);
    expect(titles(await find('fetch("https://a.example/p");'))).toEqual(['This is another kind of file']);
  });

  it('says what was mended of a HAR’s entry', async () => {
    const text = `\ufeff${payload.replaceAll('\n', '\r\n')}`;
    const { flight, facts } = open(
      await find(
        toHar([
          { request: { method: 'GET', url: 'https://a.example/x' }, response: { status: 200, content: { text } } },
        ]),
      ),
    );
    expect(flight.state.kind).toBe('complete');
    expect(facts.filter(({ name }) => name === 'Mended').map(({ value }) => value)).toEqual([
      'it was after a byte order mark',
      'it was with line ends of Windows',
    ]);
  });

  it('lists a HAR’s flights, pages’ too, and an action’s arguments', async () => {
    const har = toHar([
      {
        request: { method: 'GET', url: 'https://a.example/x?y=1' },
        response: { status: 200, content: { text: payload } },
      },
      { request: { method: 'GET', url: 'https://a.example/page' }, response: { status: 200, content: { text: page } } },
      {
        request: { method: 'POST', url: 'https://a.example/x', postData: { text: form } },
        response: { status: 200, content: { text: payload } },
      },
      { request: { method: 'GET', url: 'https://a.example/a.js' }, response: { status: 200, content: { text: 'x' } } },
    ]);
    const found = await find(har);
    expect(titles(found)).toEqual(['GET /x?y=1', 'GET /page (in the page)', 'POST /x', 'POST /x: arguments']);
    const { flight } = open(found, 3);
    expect(flight.direction).toBe('request');
    expect(flight.state.kind).toBe('complete');
  });

  it('opens an exported flight with its times, and what an action was called with', async () => {
    const found = await find(writeFlightFile(exported));
    expect(titles(found)).toEqual(['POST /lab?a&b (action)', 'POST /lab?a&b (action): arguments']);
    expect(open(found).chunks).toEqual([
      { ms: 5, bytes: 10 },
      { ms: 20, bytes: payload.length - 10 },
    ]);
    expect(open(found).response).toEqual({ isPrefetch: false, isPrerender: false, isCut: undefined });
    const left: FlightFile = { ...exported, facts: { ...exported.facts, outcome: 'left', kind: 'prefetch' } };
    expect(open(await find(writeFlightFile(left))).response).toMatchObject({ isPrefetch: true, isCut: true });
    expect(open(found, 1).flight.direction).toBe('request');
    const empty = { ...exported, content: 'none', chunks: [], body: new Uint8Array(), arguments: null } as const;
    expect(titles(await find(writeFlightFile(empty)))).toEqual(['This exported flight has no payload']);
    const wrong = writeFlightFile(exported).replace('"chunks":[[5', '"chunks":[[-5');
    expect(titles(await find(wrong))).toEqual(['This exported flight cannot be read']);
  });

  it('reads an action’s request, as text and as a form', async () => {
    expect(open(await find('["a",{"b":1}]')).flight.direction).toBe('request');
    expect(open(await find(form)).flight.rows.count).toBe(2);
  });

  it('says what a request is, and how large each is', async () => {
    const request = await find('["a",{"b":1}]');
    expect(open(request).facts).toEqual([{ name: 'From', value: 'the body of a server action’s request' }]);
    expect(open(await find(payload)).facts).toEqual([]);
    const sizes = async (text: string) => {
      const input = await find(text);
      return input.kind === 'flights' ? input.flights.map(sizeOf) : [];
    };
    expect(await sizes(payload)).toEqual([payload.length]);
    expect(await sizes('["a",{"b":1}]')).toEqual([13]);
    expect(await sizes(form)).toEqual(['["a","$Q1"]'.length + '[["k",1]]'.length]);
  });

  it('opens the only flight, and leaves the choice among several', async () => {
    const perform = (text: string) =>
      performDecodeTask({ kind: 'find', bytes: new TextEncoder().encode(text), isPasted: false });
    expect(await perform(payload)).toMatchObject({ kind: 'opened', flight: { state: { kind: 'complete' } } });
    const next = `<script>self.__next_f.push([1,${JSON.stringify(payload)}])</script>`;
    expect(await perform(page.replace('<body>', `<body>${next}`))).toMatchObject({
      kind: 'found',
      input: {
        flights: [{ origin: { page: { source: 'next' } } }, { origin: { page: { source: 'rsc-html-stream' } } }],
      },
    });
    expect(await perform('hello')).toMatchObject({ kind: 'found', input: { reason: 'unknown' } });
  });

  it('lists what a HAR lacks, and does not open its only flight as if it were all', async () => {
    const request = { method: 'GET', url: 'https://a.example/x?_rsc=1' };
    const entry = { request, response: { status: 200, content: { text: payload, size: 900 } } };
    const lost = { request, response: { status: 200, content: { size: 77 } } };
    const answer = await performDecodeTask({
      kind: 'find',
      bytes: new TextEncoder().encode(toHar([entry, lost])),
      isPasted: false,
    });
    expect(answer).toMatchObject({ kind: 'found', input: { leftOut: [{ reason: 'no-body', missingBytes: 77 }] } });
    const input = await find(toHar([entry, lost]));
    expect(open(input).facts).toContainEqual({
      name: 'Cut',
      value: `${900 - payload.length} bytes are missing in the HAR`,
    });
    expect(open(input).response).toEqual({ isKeptInPart: true });
    expect(await find(toHar([lost]))).toMatchObject({ reason: 'har-without-flight', leftOut: [{ status: 200 }] });
  });

  it('knows the sizes that a HAR says, and writes one of a thing as one', async () => {
    const request = { method: 'GET', url: 'https://a.example/x' };
    const response = { status: 200, content: { text: page, size: page.length }, bodySize: 77 };
    const opened = open(await find(toHar([{ request, response }])));
    expect(opened.sizes).toEqual({ response: page.length, transferred: 77 });
    expect(open(await find(page)).sizes).toBeUndefined();
    expect(open(await find(page)).facts[0]?.value).toMatch(/, in 1 piece$/);
  });

  it('names each server component of a TanStack Start page', async () => {
    const record = (n: number) => `$_TSR.p(()=>($R=>$R[${n}].next("t0:${n}\\n"))($R["tsr"]));`;
    const found = await find(`<!DOCTYPE html><script>${record(19)}${record(24)}</script>`);
    expect(titles(found)).toEqual(['it: stream 19', 'it: stream 24']);
    expect(open(found)).toMatchObject({ pageSource: 'tanstack-start' });
  });

  it.each([
    ['', 'There is nothing in it'],
    ['  \n', 'There is nothing in it'],
    ['hello', 'This does not look like Flight'],
    ['{"a":1}', 'This does not look like Flight'],
    ['<!DOCTYPE html><p>No scripts', 'This page carries no Flight'],
    ['{"log":{"entries":[]}}', 'There is no Flight in this HAR'],
    ['{"log":{', 'This HAR cannot be read'],
    ['%PDF-1.7', 'This is another kind of file'],
    ['HTTP/1.1 204 No Content\r\n\r\n', 'This is the headers of a response'],
    [new Uint8Array([0, 0, 0, 0, 0, 0, 0, 0, 2, 0x7b, 0x7d]), 'There is no Flight in this answer'],
    [new Uint8Array([0x1f, 0x8b, 8, 0, 1, 2, 3]), 'This gzip file cannot be unpacked'],
    [new Uint8Array([0x28, 0xb5, 0x2f, 0xfd]), 'This is compressed with zstd'],
  ])('%j: %s', async (text, title) => {
    expect(titles(await find(text))).toEqual([title]);
  });
});
