import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:net';

import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';

import { createResponseReader, MalformedResponse } from './read-response.ts';

/** One line for each call, body pieces joined, so that two ways of cutting the same bytes can be compared. */
function readAll(pieces: readonly string[], methods: readonly string[] = ['GET'], closes = false): string[] {
  const calls: string[] = [];
  const left = [...methods];
  let body = '';
  const reader = createResponseReader({
    information: (head) => void calls.push(`information ${JSON.stringify(head)}`),
    switched: (head, rest) => void calls.push(`switched ${JSON.stringify(head)} ${rest.toString('latin1')}`),
    head: (head, framing) => void calls.push(`head ${framing} ${JSON.stringify(head)}`),
    body: (chunk) => void (body += Buffer.from(chunk).toString('latin1')),
    end(trailers, isLast) {
      calls.push(`end ${body} ${JSON.stringify(trailers)} ${isLast}`);
      body = '';
      const next = left.shift();
      if (next !== undefined) reader.expect(next);
    },
  });
  reader.expect(left.shift() ?? 'GET');
  for (const piece of pieces) {
    const bytes = Buffer.from(piece, 'latin1');
    reader.read(bytes);
    // The memory is used again.
    bytes.fill('#');
  }
  if (closes) reader.finish();
  return calls;
}

const length = 'HTTP/1.1 200 OK\r\nX-a: 1\r\nContent-Length: 5\r\n\r\nhello';
const chunked =
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n5;a=b\r\nhello\r\n0A\r\n0123456789\r\n0\r\nX-T: 1\r\nx-u: 2\r\n\r\n';
const early = 'HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n';
const several = `${early}${length}${chunked}HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n${length}`;

it('reads responses one after the other', () => {
  expect(readAll([several], ['GET', 'GET', 'GET', 'GET'])).toEqual([
    'information {"status":103,"reason":"Early Hints","headers":["Link","a"]}',
    'information {"status":100,"reason":"Continue","headers":[]}',
    'head length {"status":200,"reason":"OK","headers":["X-a","1","Content-Length","5"]}',
    'end hello [] false',
    'head chunked {"status":200,"reason":"OK","headers":["Transfer-Encoding","Chunked"]}',
    'end hello0123456789 ["X-T","1","x-u","2"] false',
    'head none {"status":304,"reason":"Not Modified","headers":["Content-Length","9"]}',
    'end  [] false',
    'head length {"status":200,"reason":"OK","headers":["X-a","1","Content-Length","5"]}',
    'end hello [] false',
  ]);
});

it('takes off the blanks around a value, and leaves those in it', () => {
  const read = (value: string) => readAll([`HTTP/1.1 200 OK\r\nx:${value}\r\nContent-Length: 0\r\n\r\n`])[0];
  const head = (value: string) =>
    `head none {"status":200,"reason":"OK","headers":["x",${JSON.stringify(value)},"Content-Length","0"]}`;
  expect(read(' \t a \t b \t ')).toBe(head('a \t b'));
  expect(read(' \t ')).toBe(head(''));
  expect(read('')).toBe(head(''));
});

it('reads the same wherever the bytes are cut, and keeps nothing of a piece', () => {
  const whole = readAll([several], ['GET', 'GET', 'GET', 'GET']);
  const cuts = fc.array(fc.integer({ min: 0, max: several.length }), { maxLength: 40 });
  fc.assert(
    fc.property(cuts, (at) => {
      const points = [0, ...at.toSorted((a, b) => a - b), several.length];
      const pieces = points.slice(1).map((point, index) => several.slice(points[index], point));
      expect(readAll(pieces, ['GET', 'GET', 'GET', 'GET'])).toEqual(whole);
    }),
  );
  expect(readAll([...several], ['GET', 'GET', 'GET', 'GET'])).toEqual(whole);
});

it.each([
  ['HEAD has no body', ['HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n'], 'HEAD', 'end  [] false'],
  ['204 has none', ['HTTP/1.1 204 No Content\r\n\r\n'], 'GET', 'end  [] false'],
  ['a length of 0 is none', ['HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'], 'GET', 'end  [] false'],
  ['Connection: close is the last', ['HTTP/1.1 204 No\r\nConnection: x, Close\r\n\r\n'], 'GET', 'end  [] true'],
  ['HTTP/1.0 is the last', ['HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na'], 'GET', 'end a [] true'],
  ['without a length it ends with the connection', ['HTTP/1.1 200 OK\r\n\r\na', 'b'], 'GET', 'end ab [] true'],
  ['a status line without a reason', ['HTTP/1.1 204\r\n\r\n'], 'GET', 'end  [] false'],
])('%s', (_, pieces, method, end) => {
  expect(readAll(pieces, [method], true).at(-1)).toBe(end);
});

it('hands over what follows a change of protocol', () => {
  expect(readAll(['HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\nda'])).toEqual([
    'switched {"status":101,"reason":"Switching","headers":["Upgrade","x"]} da',
  ]);
});

it.each([
  ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\ncontent-length: 1\r\n\r\na'],
  ['a length and chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n'],
  ['chunks in HTTP/1.0', 'HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'],
  ['two codings', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n'],
  ['another coding', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n'],
  ['a length with a sign', 'HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\n'],
  ['a length in a list', 'HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\n\r\n'],
  ['an empty length', 'HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n'],
  ['a length that no number holds', `HTTP/1.1 200 OK\r\nContent-Length: ${'9'.repeat(16)}\r\n\r\n`],
  ['a space before a colon', 'HTTP/1.1 200 OK\r\nContent-Length : 1\r\n\r\n'],
  ['a folded line', 'HTTP/1.1 200 OK\r\nA: 1\r\n b: 2\r\n\r\n'],
  ['a line without a colon', 'HTTP/1.1 200 OK\r\nA\r\nB: 1\r\n\r\n'],
  ['a bare line feed', 'HTTP/1.1 200 OK\r\nA: 1\nContent-Length: 1\r\n\r\n'],
  ['a bare carriage return', 'HTTP/1.1 200 OK\r\nA: 1\rB: 2\r\n\r\n'],
  ['a zero byte', 'HTTP/1.1 200 OK\r\nA: \0\r\n\r\n'],
  ['another version', 'HTTP/2.0 200 OK\r\n\r\n'],
  ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n'],
  ['a status of 099', 'HTTP/1.1 099 OK\r\n\r\n'],
  ['a control character in the reason', 'HTTP/1.1 200 O\x07K\r\n\r\n'],
  ['a size that is none', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n'],
  ['a size with a prefix', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0x1\r\na\r\n'],
  ['a size that no number holds', `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${'f'.repeat(14)}\r\n`],
  ['a size line that never ends', `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;${'a'.repeat(1_100)}`],
  ['a size without CR', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\na\r\n0\r\n\r\n'],
  ['a chunk that is longer than its size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n'],
  ['trailers without an end', `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n${'A: 1\r\n'.repeat(50_000)}`],
  ['a trailer that is none', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA 1\r\n\r\n'],
  ['a head that never ends', `HTTP/1.1 200 OK\r\n${'A: 1\r\n'.repeat(50_000)}`],
  ['more than was asked for', `${length}more`],
])('refuses %s, in whatever pieces it comes', (_, text) => {
  expect(() => readAll([text])).toThrow(MalformedResponse);
  const pieces = text.length > 2_000 ? [text.slice(0, 1_000), text.slice(1_000)] : [...text];
  expect(() => readAll(pieces)).toThrow(MalformedResponse);
});

it('a head of 250 KiB is not too large', () => {
  expect(readAll([`HTTP/1.1 204 No\r\nA: ${'a'.repeat(250 * 1024)}\r\n\r\n`])).toHaveLength(2);
});

describe('beside Node’s own client', () => {
  let server: Server;
  let port: number;
  let text = '';

  beforeAll(async () => {
    server = createServer((socket) => socket.once('data', () => socket.end(text, 'latin1')));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (typeof address !== 'object' || !address) throw new Error('no port');
    ({ port } = address);
  });

  afterAll(() => server.close());

  async function readByNode(): Promise<string> {
    const asked = request({ port, host: '127.0.0.1', agent: false }).end();
    const [response]: IncomingMessage[] = await once(asked, 'response');
    if (!response) throw new Error('no response');
    let body = '';
    for await (const chunk of response.setEncoding('latin1')) body += String(chunk);
    const { statusCode, statusMessage, rawHeaders, rawTrailers } = response;
    return JSON.stringify({ statusCode, statusMessage, rawHeaders, body, rawTrailers });
  }

  function readByUs(): string {
    let found: object = {};
    let body = '';
    const reader = createResponseReader({
      information: () => undefined,
      switched: () => undefined,
      head: ({ status, reason, headers }) => {
        found = { statusCode: status, statusMessage: reason, rawHeaders: headers };
      },
      body: (chunk) => void (body += Buffer.from(chunk).toString('latin1')),
      end: (trailers) => void (found = { ...found, body, rawTrailers: trailers }),
    });
    reader.expect('GET');
    reader.read(Buffer.from(text, 'latin1'));
    reader.finish();
    return JSON.stringify(found);
  }

  const name = fc.stringMatching(/^X-[A-Za-z0-9!#$%&'*+.^_`|~-]{1,12}$/);
  const value = fc.stringMatching(/^(?:[!-~\xa0-\xff](?:[ -~\t\xa0-\xff]{0,20}[!-~\xa0-\xff])?)?$/);
  const fields = fc.array(fc.tuple(name, value), { maxLength: 6 });
  const byte = fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code));
  const bytes = fc.string({ unit: byte, maxLength: 40 });

  function toText(entries: readonly (readonly [string, string])[]): string {
    return entries.map(([key, content]) => `${key}: ${content}\r\n`).join('');
  }

  test('it reads the same', async () => {
    const response = fc.tuple(
      fields,
      fc.array(bytes, { maxLength: 4 }),
      fc.constantFrom('length', 'chunked', 'close'),
      fields,
    );
    await fc.assert(
      fc.asyncProperty(response, async ([headers, pieces, framing, trailers]) => {
        const body = pieces.join('');
        const head = `HTTP/1.1 200 Fine\r\n${toText(headers)}`;
        if (framing === 'length') text = `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
        if (framing === 'close') text = `${head}\r\n${body}`;
        if (framing === 'chunked') {
          const chunks = pieces
            .filter((piece) => piece !== '')
            .map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`);
          text = `${head}Transfer-Encoding: chunked\r\n\r\n${chunks.join('')}0\r\n${toText(trailers)}\r\n`;
        }
        expect(readByUs()).toBe(await readByNode());
      }),
      { numRuns: 60 },
    );
  });
});
