import { readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { fillOneFile, isOneFile, oneFilePlaces, readOneFile, type OneFile } from './one-file.ts';
import { openFlights } from './open-flights.ts';
import { cartTime } from './testing/cart-time.ts';
import { decompressHere } from './unpack.ts';

const template = `<!doctype html>${oneFilePlaces.title}${oneFilePlaces.saved}<script>code</script>`;
const fixture = path.join(import.meta.dirname, '../fixtures/react-19.3.1-production/binary.flight');
const bytes = new Uint8Array(readFileSync(fixture));
const args = new TextEncoder().encode('["$1",2]');

const response = {
  title: 'GET /shop (document)',
  facts: [{ name: 'From', value: 'page.html' }],
  direction: 'response',
  bytes,
  chunks: [
    { ms: 1.5, bytes: 10 },
    { ms: 20, bytes: bytes.length - 10 },
  ],
  sizes: { response: 9000, transferred: undefined },
  pageSource: 'next',
  response: { isPrefetch: false, isPrerender: true, isCut: undefined, transfer: undefined },
  sources: [['a1b2', 'src/card.tsx']],
  serverTime: cartTime,
} as const;

const file: OneFile = {
  title: 'A </title><script>alert(1)</script> $& shop',
  savedAt: '2026-11-20T10:00:00.000Z',
  flights: [
    response,
    {
      ...response,
      title: 'its arguments',
      direction: 'request',
      bytes: args,
      chunks: [],
      pageSource: undefined,
      response: undefined,
      sources: [],
      serverTime: undefined,
    },
  ],
  comparisons: [{ title: 'both', before: 0, after: undefined, lines: ['no change'] }],
  texts: [{ title: 'shop.tsx', text: 'export {};' }],
};

async function read(html: string) {
  return await readOneFile(html, decompressHere);
}

/** The file with its first line changed. */
async function change(edit: (head: string) => string) {
  const html = await fillOneFile(template, file);
  const base64 = /id="flight-saved">([^<]*)</.exec(html)?.[1] ?? '';
  const saved = await decompressHere(Uint8Array.from(Buffer.from(base64, 'base64')), 'gzip', 1e6);
  const text = Buffer.from(saved ?? []).toString('latin1');
  const end = text.indexOf('\n');
  const changed = Buffer.from(edit(text.slice(0, end)) + text.slice(end), 'latin1');
  const packed = new Blob([changed]).stream().pipeThrough(new CompressionStream('gzip'));
  return html.replace(base64, Buffer.from(await new Response(packed).arrayBuffer()).toString('base64'));
}

describe('a file with its own viewer', () => {
  test('gives back what was saved in it', async () => {
    const html = await fillOneFile(template, file);
    expect(isOneFile(html)).toBe(true);
    expect(await read(html)).toEqual({ kind: 'one-file', file });
  });

  test('shows its title as text', async () => {
    const html = await fillOneFile(template, file);
    expect(html).toContain(
      '<title>A &lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt; $&amp; shop · Flight Recorder</title>',
    );
    expect(html.match(/<script/g)).toHaveLength(2);
  });

  test('has nothing in it as a template', () => {
    expect(isOneFile(template)).toBe(false);
  });

  test('is opened as what is in it, arguments too', async () => {
    const opened = await openFlights(new TextEncoder().encode(await fillOneFile(template, file)));
    if (opened.kind !== 'flights') throw new Error(opened.reason);
    const [first, second] = opened.flights;
    expect(first).toEqual({
      direction: 'response',
      origin: { kind: 'saved', saved: file.flights[0] },
      bytes,
      chunks: response.chunks,
    });
    expect(second).toMatchObject({ direction: 'request', body: '["$1",2]' });
  });

  test.each<[what: string, edit: (head: string) => string, reason: string]>([
    ['another version', (head) => head.replace('one-file@1', 'one-file@2'), 'format must be'],
    [
      'a flight that is not there',
      (head) => head.replace('"before":0', '"before":2'),
      'comparisons[0].before is no flight',
    ],
    ['bytes that are missing', (head) => head.replace(`"bytes":${args.length}`, '"bytes":90000'), 'flights[1] is cut'],
    ['times of other bytes', (head) => head.replace('[1.5,10]', '[1.5,11]'), 'flights[0].chunks adds up to'],
    ['server time', (head) => head.replace('"component"', '"magic"'), 'flights[0].serverTime.spans[0].kind must be'],
    ['a direction', (head) => head.replace('"request"', '"sideways"'), 'flights[1].direction must be'],
    ['no JSON', (head) => head.slice(1), 'JSON'],
  ])('says what is wrong: %s', async (_, edit, reason) => {
    const html = await change(edit);
    expect(await read(html)).toEqual({ kind: 'malformed', reason: expect.stringContaining(reason) });
    const opened = await openFlights(new TextEncoder().encode(html));
    expect(opened).toMatchObject({ kind: 'unreadable', reason: 'broken-one-file' });
  });

  test('is refused when it is cut, or no base64', async () => {
    const html = await fillOneFile(template, file);
    expect((await read(html.slice(0, -200))).kind).toBe('malformed');
    expect((await read(template.replace('id="flight-saved">', 'id="flight-saved">%%%'))).kind).toBe('malformed');
  });

  test('is refused when it unpacks to more than a flight may have', async () => {
    const html = await fillOneFile(template, {
      ...file,
      flights: [{ ...response, bytes: new Uint8Array(65 << 20), chunks: [] }],
    });
    expect(html.length).toBeLessThan(200_000);
    expect(await read(html)).toEqual({ kind: 'malformed', reason: 'it is larger than 64 MiB when it is unpacked' });
  });
});
