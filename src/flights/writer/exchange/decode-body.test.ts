import {
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createDeflate,
  createDeflateRaw,
  createGzip,
  createZstdCompress,
  gzipSync,
} from 'node:zlib';
import type { Transform } from 'node:stream';

import { describe, expect, it } from 'vitest';

import { decodeBody } from './decode-body.ts';

type Flushing = Transform & { flush: (callback: () => void) => void };

/** Compresses as a server that flushes after each text; the compressed piece of each. */
async function compress(stream: Flushing, texts: readonly string[]): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  let piece: Buffer[] = [];
  stream.on('data', (bytes: Buffer) => piece.push(bytes));
  for (const text of texts) {
    stream.write(text);
    await new Promise<void>((resolve) => stream.flush(resolve));
    pieces.push(Buffer.concat(piece));
    piece = [];
  }
  stream.end();
  await new Promise((resolve) => stream.once('end', resolve));
  return [...pieces, Buffer.concat(piece)];
}

const texts = ['0:["first"]\n', `1:"${'second '.repeat(3_000)}"\n`, '2:"third"\n'];

function join(pieces: readonly { readonly bytes: Uint8Array }[]): string {
  return Buffer.concat(pieces.map(({ bytes }) => bytes)).toString();
}

describe('a body that was flushed piece by piece', () => {
  it.each<[string, () => Flushing]>([
    ['gzip', createGzip],
    ['x-gzip', createGzip],
    ['deflate', createDeflate],
    ['deflate', createDeflateRaw],
    ['br', createBrotliCompress],
    ['zstd', createZstdCompress],
    [' GZIP ', createGzip],
  ])('%s: what comes out has the time of what released it', async (coding, create) => {
    const pieces = await compress(create(), texts);
    const times = pieces.flatMap(({ length }, index) => [index * 100, length]);
    const decoded = await decodeBody(Buffer.concat(pieces), times, coding);
    expect(decoded.state).toBe('whole');
    const byTime = Map.groupBy(decoded.pieces, ({ ms }) => ms);
    expect([...byTime].map(([ms, of]) => [ms, join(of)])).toEqual(texts.map((text, index) => [index * 100, text]));
  });

  it('is itself where nothing is compressed', async () => {
    for (const coding of [undefined, '', 'identity', 'none']) {
      const decoded = await decodeBody(Buffer.from('abcdef'), [1, 2, 5, 4], coding);
      expect(decoded.pieces.map(({ ms, bytes }) => [ms, Buffer.from(bytes).toString()])).toEqual([
        [1, 'ab'],
        [5, 'cdef'],
      ]);
    }
  });
});

it('ends a bomb', async () => {
  for (const [coding, bomb] of [
    ['gzip', gzipSync(Buffer.alloc(50_000_000))],
    ['br', brotliCompressSync(Buffer.alloc(50_000_000), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
  ] as const) {
    const { pieces, state } = await decodeBody(bomb, [1, bomb.length], coding, 1_000_000);
    expect(state).toBe('cut');
    expect(join(pieces)).toHaveLength(1_000_000);
  }
});

it('has what came before damage, and of a body that was cut off what there is', async () => {
  const [first = Buffer.of(), second = Buffer.of()] = await compress(createGzip(), texts);
  const damaged = Buffer.concat([first, Buffer.alloc(50, 0xff)]);
  const broken = await decodeBody(damaged, [1, first.length, 2, 50], 'gzip');
  expect([broken.state, join(broken.pieces)]).toEqual(['unreadable', texts[0]]);
  const half = Buffer.concat([first, second.subarray(0, 10)]);
  const cut = await decodeBody(half, [1, first.length, 2, 10], 'gzip');
  expect(cut.state).toBe('whole');
  expect(join(cut.pieces).startsWith(texts[0] ?? '')).toBe(true);
});

it('takes off two codings, the last one first', async () => {
  const body = brotliCompressSync(gzipSync('0:"twice"\n'));
  const { pieces, state } = await decodeBody(body, [3, body.length], 'gzip, br');
  expect([state, join(pieces), pieces[0]?.ms]).toEqual(['whole', '0:"twice"\n', 3]);
});

it.each(['compress', 'gzip, compress', 'gzip, gzip, gzip, gzip'])(
  'has nothing of what cannot be read as %s',
  async (coding) => {
    expect(await decodeBody(Buffer.from('x'), [1, 1], coding)).toEqual({ pieces: [], state: 'unreadable' });
  },
);
