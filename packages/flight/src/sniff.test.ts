import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

import { describe, expect, test } from 'vitest';

import { decodeFlight } from './decode-flight.ts';
import { guessFramework, guessReact } from './framework.ts';
import { explainLeftOut } from './explain-left-out.ts';
import { readErrors } from './errors.ts';
import { readFlightsFromHar } from './from-har.ts';
import { readModules } from './modules.ts';
import { readNestedFlight } from './nested-flight.ts';
import { scanFlight } from './scan-flight.ts';
import { repairPasted, sniff } from './sniff.ts';

const encoder = new TextEncoder();
const fixtures = path.join(import.meta.dirname, '../fixtures');

function readFixture(name: string): Uint8Array {
  return new Uint8Array(readFileSync(path.join(fixtures, name)));
}

function kindOf(text: string): string {
  return sniff(encoder.encode(text)).kind;
}

describe('what a file is', () => {
  test.each([
    ['0:"a"\n', 'flight'],
    [':N1795195702131.5\n', 'flight'],
    ['0:["cut', 'flight'],
    ['#0:"a"\n', 'flight'],
    ['~1:"a"\n', 'flight'],
    ['# Notes', 'unknown'],
    ['<!DOCTYPE html><html>', 'html'],
    ['\n<script>', 'html'],
    ['{"log":{"version":"1.2"', 'har'],
    ['[1,2]', 'reply'],
    ['{"flight":1}', 'json'],
    ['--x\r\nContent-Disposition: form-data; name="0"\r\n\r\n[]\r\n--x--\r\n', 'multipart'],
    ['', 'empty'],
    [' \n', 'empty'],
    ['404 Not Found', 'unknown'],
    ['0:', 'flight'],
    ['12:30 is a time', 'flight'],
    ['Internal Server Error', 'unknown'],
  ])('%j is %s', (text, kind) => {
    expect(kindOf(text)).toBe(kind);
  });

  test.each([
    ['react-19.3.1-production/binary.flight', 'flight'],
    ['waku-1.0.0-rc.1-production/home-rsc.flight', 'flight'],
    ['waku-1.0.0-rc.1-production/home-html.flight', 'html'],
    ['waku-1.0.0-rc.1-production/action-throw.flight', 'unknown'],
  ])('%s is %s', (file, kind) => {
    expect(sniff(readFixture(file)).kind).toBe(kind);
  });

  test('compressed bytes say so', () => {
    expect(sniff(gzipSync('0:1\n'))).toEqual({ kind: 'compressed', format: 'gzip' });
  });
});

describe('pasted Flight', () => {
  test.each([
    ['1:"a"\n0:"$1"', '1:"a"\n0:"$1"\n'],
    ['#0:"a"', '#0:"a"\n'],
    ['1:"a"\r\n0:"$1"\r\n', '1:"a"\n0:"$1"\n'],
    ['1:"a"\n0:["cut', '1:"a"\n0:["cut'],
    ['0:"a"\n', '0:"a"\n'],
    ['0:T3,abc', '0:T3,abc'],
  ])('%j', (text, repaired) => {
    expect(repairPasted(text)).toBe(repaired);
  });
});

describe('the cheap pass', () => {
  test.each(readdirSync(path.join(fixtures, 'react-19.3.1-production')).filter((file) => file.endsWith('.flight')))(
    'of %s says what decoding says, cut anywhere',
    (file) => {
      const bytes = readFixture(`react-19.3.1-production/${file}`);
      const flight = decodeFlight(bytes);
      const scan = scanFlight([bytes.subarray(0, 33), bytes.subarray(33, 90), bytes.subarray(90)]);
      expect(scan.rows).toBe(flight.rows.count);
      expect(scan.bytes).toBe(bytes.length);
      expect(scan.hasRoot).toBe(flight.root !== undefined);
      expect(scan.errors).toEqual(readErrors(flight).map(({ id, digest }) => ({ id, digest })));
      expect(scan.abortError).toBe(flight.state.kind === 'aborted' ? flight.state.error : undefined);
    },
  );

  test('a broken error row is an error without a digest', () => {
    expect(scanFlight([encoder.encode('0:E{"digest":\n1:E{"digest":5}\n2:Enull\n')]).errors).toEqual([
      { id: 0, digest: undefined },
      { id: 1, digest: undefined },
      { id: 2, digest: undefined },
    ]);
  });
});

describe('who wrote it', () => {
  test.each([
    ['waku-1.0.0-rc.1-production/home-rsc.flight', 'waku', '19.3'],
    ['waku-1.0.0-rc.1-production/action-ok.flight', 'waku', '19.0'],
    ['react-19.3.1-production/waku-like.flight', 'waku', '19.3'],
    ['react-19.3.1-production/hello.flight', undefined, '19.0'],
  ])('%s', (file, framework, react) => {
    const flight = decodeFlight(readFixture(file));
    expect(guessFramework(flight)?.guess).toBe(framework);
    expect(guessReact(flight)).toMatchObject({ guess: react, isDevelopment: false });
  });

  test.each([
    ['0:{"P":null,"b":"x","p":"","c":[""],"i":false,"f":[],"m":null,"G":[],"s":false,"S":true}\n', 'next'],
    ['0:{"b":"x","f":[],"S":false}\n', 'next'],
    ['0:["$","$L1",null,{}]\n1:I[5,["5","static/chunks/5.js"],"default"]\n', 'next'],
    ['0:{"root":1,"returnValue":"$undefined","formState":null}\n', 'vite-rsc'],
  ])('%j is of %s', (text, framework) => {
    expect(guessFramework(decodeFlight(encoder.encode(text)))?.guess).toBe(framework);
  });

  test('a page’s scripts tell it where its payload does not', () => {
    const flight = decodeFlight(encoder.encode('0:"a"\n'));
    expect(guessFramework(flight, 'next')?.guess).toBe('next');
    expect(guessFramework(flight, 'tanstack-start')?.guess).toBe('tanstack-start');
    expect(guessFramework(flight, 'rsc-html-stream')).toBeUndefined();
    const ofWaku = decodeFlight(encoder.encode('0:{"_value":1}\n'));
    expect(guessFramework(ofWaku, 'next')?.guess).toBe('waku');
  });

  test('React 18.3 names modules with objects', () => {
    const flight = decodeFlight(encoder.encode('1:I{"id":"2","chunks":["3:static/chunks/3.js"],"name":""}\n0:"$L1"\n'));
    expect(guessFramework(flight)?.guess).toBe('next');
    expect(guessReact(flight)).toMatchObject({ guess: '18.3', isDevelopment: false });
  });

  test.each([
    [':N1.5\n0:1\n', '19.2'],
    ['1:D"$2"\n0:["$","p",null,{},null,[],1]\n', '19.1'],
    [':N1.5\n0:"$1"\n1:r\n1:b1,x1:C\n', '19.3'],
    ['0:1\n1:J{"name":"x"}\n', '19.2'],
  ])('%j is of React %s, in development', (text, react) => {
    expect(guessReact(decodeFlight(encoder.encode(text)))).toMatchObject({ guess: react, isDevelopment: true });
  });

  test('client modules, their strings in rows of their own', () => {
    const [first, second] = readModules(decodeFlight(readFixture('react-19.3.1-production/client-refs.flight')));
    expect(first).toMatchObject({
      module: '/assets/client-module-with-long-path-abcdef.js',
      name: 'Counter',
      isAsync: false,
    });
    expect(first?.chunks).toHaveLength(2);
    expect(second?.name).toBe('Button');
  });
});

describe('Flight within Flight', () => {
  test('is decoded from a typed array', () => {
    const inner = '0:["$","p",null,{}]\n';
    const flight = decodeFlight(encoder.encode(`1:o${inner.length.toString(16)},${inner}0:"$1"\n`));
    expect(readNestedFlight(flight, 0)?.state).toEqual({ kind: 'complete' });
    expect(readNestedFlight(flight, 1)).toBeUndefined();
  });
});

describe('a HAR', () => {
  const response = (content: object) => ({
    status: 200,
    headers: [{ name: 'Content-Type', value: 'text/plain' }],
    content,
  });
  const entry = (content: object, request: object = {}) => ({
    startedDateTime: '2026-01-01T00:00:00.000Z',
    time: 50,
    timings: { blocked: 1, dns: -1, connect: -1, send: 2, wait: 30, receive: 17 },
    request: { method: 'GET', url: 'https://example.com/RSC/R/_root.txt', headers: [], ...request },
    response: response(content),
  });
  const har = (...entries: unknown[]) => JSON.stringify({ log: { version: '1.2', entries } });

  test('holds responses, pages and requests', () => {
    const result = readFlightsFromHar(
      har(
        entry({ text: '0:"a"\n' }, { method: 'POST', postData: { text: '[1]' } }),
        entry({ text: btoa('0:"b"\n'), encoding: 'base64' }),
        entry({ text: '<script>(self.__FLIGHT_DATA||=[]).push("0:1\\n")</script>' }),
        entry({ text: 'body{}' }),
        entry({ text: '1:o1,\ufffd0:"$1"\n' }),
        entry({}),
        null,
      ),
    );
    expect(result).toMatchObject({ leftOut: [{ reason: 'not-flight' }, { reason: 'lossy' }, { reason: 'no-body' }] });
    expect(result).toMatchObject({
      kind: 'har',
      flights: [
        { source: 'response', method: 'POST', requestBody: '[1]', firstByteMs: 33, totalMs: 50, isLossy: false },
        { source: 'response', isLossy: false },
        { source: 'rsc-html-stream' },
      ],
    });
  });

  const page = (name: string, value: string) => ({ url: 'https://a.example/p', headers: [{ name, value }] });
  const plain = { url: 'https://a.example/p' };
  const flight = { mimeType: 'text/x-component' };
  test.each<[string, object, object, string | undefined, number]>([
    ['no body, by its type', flight, plain, 'no-body', 0],
    ['no body, of a known size', { ...flight, size: 500 }, plain, 'no-body', 500],
    ['no body, asked for as Flight', {}, page('RSC', '1'), 'no-body', 0],
    ['no body, an action', {}, page('next-action', 'x'), 'no-body', 0],
    ['no body, by its address', {}, { url: 'https://a.example/p?_rsc=abc' }, 'no-body', 0],
    ['no body, by Waku’s address', {}, { url: 'https://a.example/RSC/R/p.txt' }, 'no-body', 0],
    ['no body, by React Router’s address', {}, { url: 'https://a.example/p.rsc?a' }, 'no-body', 0],
    ['no body of another file', {}, { url: 'https://a.example/p.js?a=.rsc' }, undefined, 0],
    ['no base64', { ...flight, text: '???', encoding: 'base64' }, plain, 'not-base64', 0],
    ['cut before the root', { ...flight, text: '1:"a"\n', size: 5000 }, plain, 'cut', 4994],
    ['lossy, no row found', { ...flight, text: '1:o1,\ufffd0:"$1"\n' }, plain, 'lossy', 0],
    ['an error page', { ...flight, text: '<!doctype html><p>Failed</p>' }, plain, 'not-flight', 0],
    ['a page without Flight', { mimeType: 'text/html', text: '<!doctype html>' }, plain, undefined, 0],
    ['a preflight', flight, { ...plain, method: 'OPTIONS' }, undefined, 0],
  ])('%s', (_, content, request, reason, missingBytes) => {
    const result = readFlightsFromHar(har(entry(content, request)));
    expect(result).toMatchObject({ flights: [], leftOut: reason === undefined ? [] : [{ reason, missingBytes }] });
    if (result.kind !== 'har') return;
    for (const leftOut of result.leftOut) expect(explainLeftOut(leftOut)).toMatch(/^it.*\w$|^the HAR.*\w$/);
  });

  test('a redirect has no body and misses none', () => {
    const redirect = { request: plain, response: { status: 307, content: flight } };
    expect(readFlightsFromHar(har(redirect))).toMatchObject({ leftOut: [] });
  });

  test('a flight that was cut after its root says so, and a byte order mark is no cut', () => {
    const cut = entry({ text: '0:"$L1"\n', size: 5000 });
    const marked = entry({ text: '0:1\n', size: 7 });
    expect(readFlightsFromHar(har(cut, marked))).toMatchObject({
      flights: [{ missingBytes: 4992 }, { missingBytes: 0 }],
      leftOut: [],
    });
  });

  const lines = '1:"one"\n0:["$1","two"]\n';
  const windows = lines.replaceAll('\n', '\r\n');
  test.each<[string, string, string[]]>([
    ['a byte order mark', `\ufeff${lines}`, ['after a byte order mark']],
    ['white space', `\r\n ${lines}`, ['after white space']],
    ['line ends of Windows', windows, ['with line ends of Windows']],
    ['both', `\ufeff${windows}`, ['after a byte order mark', 'with line ends of Windows']],
    ['neither', lines, []],
  ])('a body with %s is read as it was sent', (_, text, mended) => {
    const encoded = { text: Buffer.from(text).toString('base64'), encoding: 'base64' };
    const result = readFlightsFromHar(har(entry({ text }), entry(encoded)));
    const found = { source: 'response', bytes: encoder.encode(lines), mended, isLossy: false, missingBytes: 0 };
    expect(result).toMatchObject({ kind: 'har', flights: [found, found], leftOut: [] });
  });

  test.each(['', '{', '[]', 'null', '{"log":{}}', '{"log":{"entries":5}}'])('%j is malformed', (text) => {
    expect(readFlightsFromHar(text).kind).toBe('malformed');
  });
});
