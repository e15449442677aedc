import { gunzipSync, gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

import { describe, expect, test } from 'vitest';

import { decodeFlight, maxFlightBytes } from './decode-flight.ts';
import { extractFlightFromFrames } from './from-frames.ts';
import { writeFlightFile, type FlightFile } from './flight-file.ts';
import { openFlights, type OpenedInput, type OpenOptions } from './open-flights.ts';
import type { Decompress } from './unpack.ts';
import { readRowAsJson } from './value-to-json.ts';

const payload = '1:I["m",[],"C"]\n0:["$","$L1",null,{}]\n';
const page = `<!DOCTYPE html><script>(self.__FLIGHT_DATA||=[]).push(${JSON.stringify(payload)});</script>`;
const form = '--b0\r\nContent-Disposition: form-data; name="0"\r\n\r\n["a"]\r\n--b0--\r\n';

function toBytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function open(input: string | Uint8Array, options?: OpenOptions): Promise<OpenedInput> {
  return openFlights(typeof input === 'string' ? toBytes(input) : new Uint8Array(input), options);
}

/** Each flight in one line. */
function list(input: OpenedInput): string[] {
  if (input.kind === 'unreadable') return [`${input.reason} ${input.detail}`.trim()];
  return input.flights.map((found) => {
    if (found.direction === 'response') return `${found.origin.kind} response ${new TextDecoder().decode(found.bytes)}`;
    const { body } = found;
    return `${found.origin.kind} request ${typeof body === 'string' ? body : body.map(({ name }) => name).join()}`;
  });
}

const file: FlightFile = {
  facts: {
    requestId: 'r',
    traceId: 't',
    visit: null,
    kind: 'action',
    method: 'POST',
    path: '/lab',
    query: [],
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
  body: toBytes(payload),
  debug: null,
  elements: [],
  elided: [],
  arguments: { contentType: 'text/plain', bytes: 5, body: toBytes('["a"]') },
};

describe('what is found', () => {
  test.each([
    ['a payload', payload, [`payload response ${payload}`]],
    ['a page', page, [`html response ${payload}`]],
    ['a request in text', '["a"]', ['payload request ["a"]']],
    ['a request with fields', form, ['payload request 0']],
  ])('%s', async (_, input, found) => {
    expect(list(await open(input))).toEqual(found);
    expect(list(await open(gzipSync(input)))).toEqual(found);
  });

  test('pasted text gets its last line end back, and only pasted text', async () => {
    expect(list(await open('0:"a"', { isPasted: true }))).toEqual(['payload response 0:"a"\n']);
    expect(list(await open('0:"a"'))).toEqual(['payload response 0:"a"']);
  });

  test('a HAR: responses, pages, and what actions were called with', async () => {
    const entry = (text: string, postData?: object) => ({
      request: { method: 'POST', url: 'https://a.example/', postData },
      response: { status: 200, content: { text } },
    });
    const params = [{ name: '0', value: '[]' }];
    const entries = [
      entry(payload, { text: '[1]' }),
      entry(page, { text: '' }),
      entry(payload, { text: form }),
      entry('x'),
    ];
    const har = JSON.stringify({ log: { entries: [...entries, entry(payload, { params })] } });
    expect(list(await open(har))).toEqual([
      `har response ${payload}`,
      'har request [1]',
      `har response ${payload}`,
      `har response ${payload}`,
      'har request 0',
      `har response ${payload}`,
      'har request 0',
    ]);
  });

  test('a flight file: with its times, of a page, with arguments', async () => {
    const input = await open(writeFlightFile(file));
    expect(list(input)).toEqual([`flight-file response ${payload}`, 'flight-file request ["a"]']);
    expect(input).toMatchObject({
      flights: [
        {
          chunks: [
            { ms: 5, bytes: 10 },
            { ms: 20, bytes: payload.length - 10 },
          ],
          origin: { file: { facts: { path: '/lab' } }, page: undefined },
        },
        {},
      ],
    });
    const ofPage = await open(
      writeFlightFile({ ...file, content: 'html', chunks: [], body: toBytes(page), arguments: null }),
    );
    expect(list(ofPage)).toEqual([`flight-file response ${payload}`]);
    expect(ofPage).toMatchObject({ flights: [{ chunks: [], origin: { page: { source: 'rsc-html-stream' } } }] });
    const fields = { contentType: 'multipart/form-data; boundary=b0', bytes: form.length, body: toBytes(form) };
    const ofFields = { ...file, content: 'none', chunks: [], body: toBytes(page), arguments: fields } as const;
    expect(list(await open(writeFlightFile(ofFields)))).toEqual(['flight-file request 0']);
  });
});

describe('with the head that curl -i writes', () => {
  const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/x-component\r\n\r\n';
  test.each([
    ['a payload', head + payload, [`payload response ${payload}`]],
    ['HTTP/2', `HTTP/2 200 \r\nvary: RSC\r\n\r\n${payload}`, [`payload response ${payload}`]],
    ['a page', head + page, [`html response ${payload}`]],
    [
      'a redirect that was followed',
      `HTTP/1.1 307 Temporary Redirect\r\n\r\n${head}${payload}`,
      [`payload response ${payload}`],
    ],
    ['line ends of an editor', head.replaceAll('\r', '') + payload, [`payload response ${payload}`]],
    ['no body', head, ['headers-only HTTP/1.1 200 OK']],
    ['a head that has no end', 'HTTP/2 307 \r\nVary: RSC\r\n', ['headers-only HTTP/2 307']],
    ['no head', `HTTP is a protocol\n\n${payload}`, ['unknown']],
  ])('%s', async (_, input, found) => {
    expect(list(await open(input))).toEqual(found);
  });

  test('a compressed body, and Next’s byte before the payload', async () => {
    expect(list(await open(new Uint8Array([...toBytes(head), ...gzipSync(payload)])))).toEqual([
      `payload response ${payload}`,
    ]);
    expect(list(await open(`${head}#${payload}`))).toEqual([`payload response #${payload}`]);
  });
});

describe('taken out of what it stands in', () => {
  const text = '0:["$1"]\n1:T5,a\nb\nc2:"é"\n';
  const base64 = Buffer.from(text).toString('base64');
  const verbose = [
    '* Host localhost:3000 was resolved.',
    '*   Trying 127.0.0.1:3000...',
    '  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current',
    '                                 Dload  Upload   Total   Spent    Left  Speed',
    '> GET /a.txt HTTP/1.1\r',
    '> RSC: 1\r',
    '> \r',
    '* Request completely sent off',
    '< HTTP/1.1 200 OK\r',
    '< Content-Type: text/x-component\r',
    '< \r',
    '{ [28 bytes data]',
    '',
  ].join('\n');
  const left = '* Connection #0 to host localhost left intact\n';
  // Without -s; both streams in one file.
  const meter = [
    '  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current',
    '                                 Dload  Upload   Total   Spent    Left  Speed',
    '\r  0     0    0     0    0     0      0      0 --:--:-- --:--:-- --:--:--     0',
  ].join('\n');
  const meterEnd =
    '\r 50   130   50    65    0     0   1024      0 --:--:-- --:--:-- --:--:--  1024\r100   130  100   130    0     0  5.1k      0 --:--:-- --:--:-- --:--:--  5200\n';

  test.each<[string, string | Uint8Array, string[]]>([
    ['a byte order mark', `\ufeff${text}`, ['after a byte order mark']],
    ['white space', `\n  ${text}`, ['after white space']],
    ['both', `\ufeff\r\n${text}`, ['after a byte order mark', 'after white space']],
    ['base64', base64, ['in base64']],
    ['base64 in lines', `${base64.slice(0, 16)}\n${base64.slice(16)}\n`, ['in base64']],
    ['a data: URL', `data:text/x-component;base64,${base64}`, ['in a data: URL']],
    ['a data: URL in plain', `data:text/x-component,${encodeURIComponent(text)}`, ['in a data: URL']],
    ['curl -v', `${verbose}${text}${left}`, ['in the output of curl -v']],
    ['curl -v with a line end', `${verbose}${text}\n${left}`, ['in the output of curl -v']],
    ['curl -v that goes on', `${verbose}${text}`, ['in the output of curl -v']],
    ['curl -v with its meter, before', `${meter}${verbose}${meterEnd}${left}${text}`, ['in the output of curl -v']],
    ['curl -v with its meter, around', `${meter}${verbose}${text}${meterEnd}${left}`, ['in the output of curl -v']],
    ['curl with its meter', `${meter.replace(/\r.*$/, '')}${meterEnd}${text}`, ['in the output of curl -v']],
    ['Windows', text.replaceAll('\n', '\r\n'), ['with line ends of Windows']],
    ['nothing', text, []],
  ])('%s', async (_, input, mended) => {
    const opened = await open(input);
    expect(opened).toMatchObject({ flights: [{ origin: { kind: 'payload', mended } }] });
    const [found] = opened.kind === 'flights' ? opened.flights : [];
    const flight = decodeFlight(found?.direction === 'response' ? found.bytes : new Uint8Array());
    expect(flight.state).toEqual({ kind: 'complete' });
    expect(readRowAsJson(flight, 1)).toBe('a\nb\nc');
  });

  test('the scripts of a page without their tags, and the list that they filled', async () => {
    const rows = ['1:"$Sreact.fragment"\n', '0:["$","main",null,{"children":"$1"}]\n'];
    const pushes = rows.map((row) => `self.__next_f.push(${JSON.stringify([1, row])})`);
    const joined = rows.join('');
    expect(list(await open(['(self.__next_f=self.__next_f||[]).push([0])', ...pushes].join('\n')))).toEqual([
      `html response ${joined}`,
    ]);
    expect(list(await open(`(self.__FLIGHT_DATA||=[]).push(${JSON.stringify(joined)})`))).toEqual([
      `html response ${joined}`,
    ]);
    const bytes = [3, Buffer.from(joined).toString('base64')];
    for (const filled of [
      [[0], ...rows.map((row) => [1, row])],
      [[0], [2, null], bytes],
    ]) {
      expect(list(await open(JSON.stringify(filled)))).toEqual([`html response ${joined}`]);
    }
    // What an action may be called with.
    expect(list(await open('[[1,"a text"],[0]]'))).toEqual(['payload request [[1,"a text"],[0]]']);
    expect(list(await open('self.__next_f.pop()'))).toEqual(['unknown']);
  });

  test('a page, a compressed payload, a request', async () => {
    const gzipped = Buffer.from(gzipSync(payload)).toString('base64');
    expect(list(await open(gzipped))).toEqual([`payload response ${payload}`]);
    expect(list(await open(`data:text/html,${encodeURIComponent(page)}`))).toEqual([`html response ${payload}`]);
    expect(list(await open(`${verbose}${page}${left}`))).toEqual([`html response ${payload}`]);
    expect(list(await open('\ufeff["save"]'))).toEqual(['payload request ["save"]']);
  });

  test.each([
    ['fetch("https://a.example/p?_rsc=1", {\n  "headers": {}\n});', 'copied as fetch'],
    ['await fetch("https://a.example/p");', 'copied as fetch'],
    ["curl 'https://a.example/p' \\\n  -H 'rsc: 1'", 'copied as cURL'],
    ['curl ^"https://a.example/p^" ^', 'copied as cURL'],
    ['Invoke-WebRequest -Uri "https://a.example/p"', 'copied as PowerShell'],
    [`${verbose}${left}`, 'without its body'],
    ['From: <Saved by Blink>\r\nSnapshot-Content-Location: https://a.example/\r\n', 'saved as MHTML'],
  ])('%s is named', async (input, words) => {
    const opened = await open(input);
    expect(opened).toMatchObject({ kind: 'unreadable', reason: 'other-format' });
    expect(opened.kind === 'unreadable' && opened.detail).toContain(words);
  });

  test.each(['hello', 'the quick brown fox jumps', 'deadbeefdeadbeef', 'data:', 'data:,', '* a list\n* of points\n'])(
    '%j is nothing known, or nothing',
    async (input) => {
      const opened = await open(input);
      expect(opened.kind === 'unreadable' && ['unknown', 'empty']).toContain(
        opened.kind === 'unreadable' && opened.reason,
      );
    },
  );

  test('line ends of Windows within a text are its own', async () => {
    const own = '0:["$1"]\n1:T4,a\r\nb';
    expect(list(await open(own))).toEqual([`payload response ${own}`]);
  });
});

describe('framed bodies of TanStack Start', () => {
  function frame(type: number, stream: number, body: string): number[] {
    const bytes = toBytes(body);
    const header = new DataView(new ArrayBuffer(9));
    header.setUint8(0, type);
    header.setUint32(1, stream);
    header.setUint32(5, bytes.length);
    return [...new Uint8Array(header.buffer), ...bytes];
  }
  const json = frame(0, 0, '{"t":10}');
  const read = (...frames: number[][]) => open(new Uint8Array(frames.flat()));

  test('each server component is a flight, whatever its chunks are mixed with', async () => {
    const input = await read(
      json,
      frame(1, 1, '0:"fi'),
      frame(1, 2, '0:"second"\n'),
      frame(1, 3, 'a file'),
      frame(0, 0, '{"t":11}'),
      frame(1, 1, 'rst"\n'),
      frame(2, 1, ''),
      frame(3, 2, 'boom'),
    );
    expect(list(input)).toEqual(['frames response 0:"first"\n', 'frames response 0:"second"\n']);
    expect(input).toMatchObject({
      flights: [
        { origin: { stream: { stream: 1, ends: [5, 10], error: undefined } } },
        { origin: { stream: { stream: 2, error: 'boom' } } },
      ],
    });
  });

  test('piece by piece, with the byte of the body where each ends', () => {
    const body = [json, frame(1, 1, '0:"a'), frame(1, 2, '0:1\n'), frame(1, 1, '"\n')];
    const bytes = new Uint8Array(body.flat());
    const ends = body.map((_, index) => body.slice(0, index + 1).flat().length);
    expect(extractFlightFromFrames(bytes)).toMatchObject([
      { stream: 1, endsAt: ends[1] },
      { stream: 2, endsAt: ends[2] },
      { stream: 1, endsAt: ends[3] },
    ]);
  });

  test('none, cut and broken', async () => {
    expect(list(await read(json))).toEqual(['frames-without-flight']);
    expect(list(await read(json, frame(1, 1, '0:"abc"\n').slice(0, -4)))).toEqual(['frames response 0:"a']);
    expect(list(await read(json, frame(1, 1, '0:1\n'), frame(9, 1, ''), frame(1, 1, '1:1\n')))).toEqual([
      'frames response 0:1\n',
    ]);
    expect(list(await read(frame(0, 1, '{}')))).toEqual(['unknown']);
    expect(list(await read(frame(0, 0, 'x')))).toEqual(['unknown']);
    const chunks = Array.from('0:"cut into letters"\n', (letter) => frame(1, 1, letter));
    expect(list(await read(json, ...chunks))).toEqual(['frames response 0:"cut into letters"\n']);
  });
});

describe('what is not', () => {
  test.each([
    ['%PDF-1.7\n', 'a PDF document'],
    ['\u0089PNG\r\n\u001a\n', 'a PNG image'],
    ['\u00ff\u00d8\u00ff\u00e0', 'a JPEG image'],
    ['RIFF\0\0\0\0WEBPVP8 ', 'a WebP image'],
    ['wOF2', 'a web font'],
    ['PK\u0003\u0004', 'a ZIP archive, or a document that is one'],
    ['\0asm', 'a WebAssembly module'],
    ['\u00ff\u00fe0\0:\0', 'text in UTF-16, not in UTF-8; let curl write the file itself, with --output'],
  ])('%j is %s', async (text, name) => {
    const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
    expect(list(await open(bytes))).toEqual([`other-format ${name}`]);
  });

  const none = { ...file, content: 'none', chunks: [], body: new Uint8Array(), arguments: null } as const;

  test.each([
    ['', 'empty'],
    [' \n', 'empty'],
    ['hello', 'unknown'],
    ['[broken', 'unknown'],
    ['{"a":1}', 'other-json'],
    ['<!doctype html><p>', 'html-without-flight'],
    ['{"log":{"entries":[]}}', 'har-without-flight'],
    ['{"log":{}}', 'broken-har a HAR has log.entries'],
    [writeFlightFile(none), 'flight-file-without-flight'],
    [writeFlightFile({ ...none, content: 'flight' }), 'flight-file-without-flight'],
    [
      writeFlightFile(none).replace('"none"', '"text"'),
      'broken-flight-file content must be "flight", "html" or "none"',
    ],
  ])('%j: %s', async (input, reason) => {
    expect(list(await open(input))).toEqual([reason]);
  });

  test('what is unknown comes back, unpacked', async () => {
    expect(await open(gzipSync('hello'))).toMatchObject({ reason: 'unknown', bytes: toBytes('hello') });
  });
});

describe('compressed input', () => {
  const withNode: Decompress = (bytes, format, maxOutputLength) =>
    new Uint8Array((format === 'gzip' ? gunzipSync : zstdDecompressSync)(bytes, { maxOutputLength }));

  test('zstd: said to be that, or unpacked by what is passed', async () => {
    const packed = zstdCompressSync(payload);
    expect(list(await open(packed))).toEqual(['unsupported zstd']);
    expect(list(await open(packed, { decompress: withNode }))).toEqual([`payload response ${payload}`]);
  });

  test.each([
    ['the platform', {}],
    ['a function', { decompress: withNode }],
  ])('damage and twice, unpacked by %s', async (_, options) => {
    const damaged = await open(gzipSync(payload).subarray(0, 20), options);
    expect(damaged).toMatchObject({ reason: 'damaged', detail: expect.stringMatching(/\w/) });
    expect(list(await open(gzipSync(gzipSync(payload)), options))).toEqual(['damaged compressed twice']);
  });

  test.each([
    ['the platform', {}],
    ['a function', { decompress: withNode }],
  ])('64 MiB and no more, unpacked by %s', { timeout: 30_000 }, async (_, options) => {
    const largest = new Uint8Array(maxFlightBytes).fill(0x20);
    expect(list(await openFlights(largest, options))).toEqual(['empty']);
    expect(list(await open(gzipSync(largest), options))).toEqual(['empty']);
    const larger = new Uint8Array(maxFlightBytes + 1).fill(0x20);
    expect(list(await open(gzipSync(larger), options))).toEqual(['too-large']);
    expect(list(await openFlights(larger, options))).toEqual(['too-large']);
  });
});
