import { gzipSync } from 'node:zlib';

import { describe, expect, it } from 'vitest';

import { writeFlightFile, type FlightFile } from '#flight';

import { findFlights, openFound, type Found, type Input } from './find-flights.ts';

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

function toInput(text: string | Uint8Array, isPasted = false): Input {
  return { bytes: typeof text === 'string' ? new TextEncoder().encode(text) : text, name: 'it', isPasted };
}

function toHar(entries: readonly object[]): string {
  return JSON.stringify({ log: { version: '1.2', entries } });
}

function titles(found: Found): string[] {
  return found.kind === 'flights' ? found.flights.map(({ title }) => title) : [found.title];
}

function open(found: Found, index = 0) {
  const flight = found.kind === 'flights' ? found.flights[index] : undefined;
  if (!flight) throw new Error(titles(found).join());
  return openFound(flight);
}

describe('findFlights', () => {
  it('takes a payload as it is', async () => {
    const { flight, bytes } = open(await findFlights(toInput(payload)));
    expect(flight.state).toEqual({ kind: 'complete' });
    expect(bytes).toEqual(new TextEncoder().encode(payload));
  });

  it('gives pasted text back the line end that pasting took', async () => {
    expect(open(await findFlights(toInput(payload.trimEnd()))).flight.state.kind).toBe('truncated');
    expect(open(await findFlights(toInput(payload.trimEnd(), true))).flight.state.kind).toBe('complete');
  });

  it('says where a payload is broken, and decodes the rest', async () => {
    const { flight } = open(await findFlights(toInput('1:"ok"\n2:{"broken\n0:"$1"\n')));
    expect(flight.state).toMatchObject({ kind: 'malformed', at: 17 });
    expect(flight.rows.count).toBe(3);
  });

  it('finds it in a page, and in a page that is gzipped', async () => {
    expect(open(await findFlights(toInput(page))).flight.state.kind).toBe('complete');
    expect(open(await findFlights(toInput(new Uint8Array(gzipSync(page))))).flight.state.kind).toBe('complete');
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
    const found = await findFlights(toInput(har));
    expect(titles(found)).toEqual(['GET /x?y=1', 'GET /page (in the page)', 'POST /x', 'POST /x: arguments']);
    const { flight } = open(found, 3);
    expect(flight.direction).toBe('request');
    expect(flight.state.kind).toBe('complete');
  });

  it('opens an exported flight with its times, and what an action was called with', async () => {
    const found = await findFlights(toInput(writeFlightFile(exported)));
    expect(titles(found)).toEqual(['POST /lab?a&b (action)', 'POST /lab?a&b (action): arguments']);
    expect(open(found).chunks).toEqual([
      { ms: 5, bytes: 10 },
      { ms: 20, bytes: payload.length - 10 },
    ]);
    expect(open(found, 1).flight.direction).toBe('request');
    const empty = { ...exported, content: 'none', chunks: [], body: new Uint8Array(), arguments: null } as const;
    expect(titles(await findFlights(toInput(writeFlightFile(empty))))).toEqual(['This exported flight has no payload']);
    const wrong = writeFlightFile(exported).replace('"chunks":[[5', '"chunks":[[-5');
    expect(titles(await findFlights(toInput(wrong)))).toEqual(['This exported flight cannot be read']);
  });

  it('reads an action’s request, as text and as a form', async () => {
    expect(open(await findFlights(toInput('["a",{"b":1}]'))).flight.direction).toBe('request');
    expect(open(await findFlights(toInput(form))).flight.rows.count).toBe(2);
  });

  it.each([
    ['', 'There is nothing in it'],
    ['  \n', 'There is nothing in it'],
    ['hello', 'This does not look like Flight'],
    ['{"a":1}', 'This does not look like Flight'],
    ['<!DOCTYPE html><p>No scripts', 'This page carries no Flight'],
    ['{"log":{"entries":[]}}', 'There is no Flight in this HAR'],
    ['{"log":{', 'This HAR cannot be read'],
    [new Uint8Array([0x1f, 0x8b, 8, 0, 1, 2, 3]), 'This gzip file cannot be unpacked'],
    [new Uint8Array([0x28, 0xb5, 0x2f, 0xfd]), 'This is compressed with zstd'],
  ])('%j: %s', async (text, title) => {
    expect(titles(await findFlights(toInput(text)))).toEqual([title]);
  });
});
