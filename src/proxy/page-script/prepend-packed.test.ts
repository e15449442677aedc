import { constants, createGzip, deflateRawSync, gunzipSync, gzipSync, type Gzip } from 'node:zlib';

import { describe, expect, it } from 'vitest';

import { openPrepender } from './prepend-packed.ts';

const text = '<script async src="/_fr/a.js"></script>';
const start = '<!DOCTYPE html><html lang="en"><head>';

/** Numbers that are the same in each run. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => (state = (state * 48_271) % 2_147_483_647) % below;
}

function writePage(random: (below: number) => number, words: number): string {
  const list = Array.from({ length: words }, () => `<p>${'äx'.repeat(random(9))}${random(1e6)}</p>`);
  return `${start}<title>Shop</title></head><body>${list.join('')}</body></html>`;
}

function cut(bytes: Uint8Array, random: (below: number) => number): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = at + 1 + random(2_000);
    pieces.push(Buffer.from(bytes.subarray(at, end)));
    at = end;
  }
  return pieces;
}

/** As the proxy does: until it is known which page it is, nothing goes on. */
function prepend(pieces: readonly Buffer[]): Buffer {
  let begun: Buffer = Buffer.alloc(0);
  let opened: ReturnType<typeof openPrepender> = 'more';
  const out: Buffer[] = [];
  for (const piece of pieces) {
    if (typeof opened === 'object') out.push(opened.next(piece));
    else {
      begun = Buffer.concat([begun, piece]);
      opened = openPrepender(begun, text);
      if (typeof opened === 'object') out.push(opened.next(begun));
    }
  }
  if (typeof opened !== 'object') throw new Error('It does not begin as React writes it');
  return Buffer.concat([...out, opened.end()]);
}

describe('a page in gzip', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('has the text before it, and its checksum and length (%i)', (seed) => {
    const random = createRandom(seed * 7_919);
    const page = writePage(random, [0, 1, 30, 400, 9_000][random(5)] ?? 0);
    const packed = gzipSync(page, { level: [0, 1, 6, 9][random(4)] ?? 6 });
    const out = prepend(cut(packed, random));
    expect(gunzipSync(out).toString()).toBe(`<!DOCTYPE html>${text}${page}`);
  });

  it('goes on as it comes: what the app has flushed is there', async () => {
    const gzip: Gzip = createGzip();
    const sent: Buffer[] = [];
    gzip.on('data', (piece: Buffer) => sent.push(piece));
    const flush = () => new Promise<void>((resolve) => gzip.flush(constants.Z_SYNC_FLUSH, resolve));
    gzip.write(`${start}<title>1</title>`);
    await flush();
    const opened = openPrepender(Buffer.concat(sent), text);
    if (typeof opened !== 'object') throw new Error('It does not begin as it should');
    const out = [opened.next(Buffer.concat(sent.splice(0)))];
    const read = () => gunzipSync(Buffer.concat(out), { finishFlush: constants.Z_SYNC_FLUSH }).toString();
    expect(read()).toBe(`<!DOCTYPE html>${text}${start}<title>1</title>`);
    gzip.write('<body>2');
    await flush();
    out.push(...sent.splice(0).map((piece) => opened.next(piece)));
    expect(read()).toMatch(/<body>2$/);
    gzip.end();
    await new Promise((resolve) => gzip.on('end', resolve));
    out.push(...sent.splice(0).map((piece) => opened.next(piece)), opened.end());
    expect(gunzipSync(Buffer.concat(out)).toString()).toMatch(/<body>2$/);
  });

  it('that names its build in a comment, as Next.js does, is one that React wrote', () => {
    const page = `<!DOCTYPE html><!--AUbVNRQq_-mYA--><html id="a" data-b='>'><head><meta charSet="utf-8"/>`;
    expect(openPrepender(gzipSync(page), text)).toBeTypeOf('object');
  });

  it.each([
    ['with whitespace before its head', '<!DOCTYPE html>\n<html>\n<head>\n<title>'],
    ['whose head has attributes', '<!DOCTYPE html><html><head prefix="og: https://ogp.me/ns#"><title>'],
    ['of another mode', '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN"><html><head>'],
    ['without a doctype', '<html><head><title>'],
    ['with a mark of its bytes’ order', '\ufeff<!DOCTYPE html><html><head>'],
    ['that is a piece of one', '<p>hello</p>'],
    ['with another comment', '<!DOCTYPE html><!-- a > b --><html><head>'],
  ])('is not taken for one where it is one %s', (_, page) => {
    expect(openPrepender(gzipSync(page + 'x'.repeat(9_000)), text)).toBeUndefined();
  });

  it('is not taken for one where its header says more, or it is none', () => {
    const packed = gzipSync(start);
    packed[3] = 8;
    expect(openPrepender(packed, text)).toBeUndefined();
    expect(openPrepender(deflateRawSync(start.repeat(9)), text)).toBeUndefined();
    expect(openPrepender(Buffer.concat([packed.subarray(0, 3), Buffer.alloc(40, 255)]), text)).toBeUndefined();
  });

  it('waits while too little is there, and not for what was flushed', () => {
    const packed = gzipSync(writePage(createRandom(5), 40));
    for (const bytes of [0, 9, 10, 12]) expect(openPrepender(packed.subarray(0, bytes), text)).toBe('more');
    const short = Buffer.concat([
      packed.subarray(0, 10),
      deflateRawSync('<!DOCTYPE html><ht', { finishFlush: constants.Z_SYNC_FLUSH }),
    ]);
    expect(openPrepender(short, text)).toBeUndefined();
  });

  it('that is cut stays cut: it has no checksum that fits', () => {
    const packed = gzipSync(writePage(createRandom(3), 400));
    for (const lost of [4, 20, 300]) {
      const rest = packed.subarray(0, -lost);
      const out = prepend([rest]);
      expect(() => gunzipSync(out)).toThrow();
      expect(out.subarray(-100)).toEqual(rest.subarray(-100));
    }
  });
});
