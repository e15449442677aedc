import { assert, json, oneof, property, string, uint8Array } from 'fast-check';
import { describe, expect, test } from 'vitest';

import { isFlightFile, readFlightFile, writeFlightFile, type FlightFile } from './flight-file.ts';
import { cartTime } from './testing/cart-time.ts';
import { sniff } from './sniff.ts';

const file: FlightFile = {
  facts: {
    requestId: 'a'.repeat(32),
    traceId: 'b'.repeat(32),
    visit: null,
    kind: 'action',
    method: 'POST',
    path: '/lab/actions',
    query: ['key', 'page'],
    route: '/lab/actions',
    build: 'x1',
    status: 200,
    rendering: 'dynamic',
    outcome: 'complete',
    startedAt: '2026-11-21T00:08:09.123Z',
    firstByteMs: 4.25,
    durationMs: 30,
    bytes: 6,
    digests: ['0123456789'],
    action: 'src/lab/actions/add-numbers.ts#addNumbers',
    hits: 1,
    lastAt: null,
    app: 'shop',
    framework: 'next',
    sizes: { flight: 6, response: 20, transferred: null },
    sentBytes: 5,
    decodedBytes: 20,
    codec: 'br',
    fromPath: '/lab',
    trigger: 'hover',
    tabBuild: null,
    caching: { headers: { vary: 'rsc' }, setsCookie: false, askedBy: ['rsc'] },
  },
  content: 'flight',
  chunks: [
    [4.25, 4],
    [30, 2],
  ],
  body: new TextEncoder().encode('0:"é"\n').subarray(0, 6),
  debug: new Uint8Array([0, 255, 128]),
  elements: ['page:/lab/actions'],
  elided: ['root'],
  arguments: { contentType: 'text/plain', bytes: 10, body: new TextEncoder().encode('[40,2]') },
  serverTime: cartTime,
};

function change(changes: object): string {
  const parsed: object = JSON.parse(writeFlightFile(file));
  return JSON.stringify({ ...parsed, ...changes });
}

describe('a flight as a file', () => {
  test('is read back as it was written', () => {
    expect(readFlightFile(writeFlightFile(file))).toEqual({ kind: 'flight-file', file });
  });

  test('keeps bytes of any kind and length', () => {
    assert(
      property(uint8Array({ maxLength: 70_000, size: 'max' }), (body) => {
        const text = writeFlightFile({ ...file, body, chunks: [] });
        const read = readFlightFile(text);
        expect(read.kind === 'flight-file' && Buffer.compare(read.file.body, body)).toBe(0);
      }),
      { numRuns: 20 },
    );
  });

  test('is known from its beginning, also when somebody has indented it', () => {
    const text = writeFlightFile(file);
    expect(isFlightFile(text)).toBe(true);
    expect(isFlightFile(JSON.stringify(JSON.parse(text), null, 2))).toBe(true);
    expect(isFlightFile('{"log":{}}')).toBe(false);
    expect(sniff(new TextEncoder().encode(text))).toEqual({ kind: 'json' });
  });

  test.each([
    ['format', { format: 'flight-recorder/flight@2' }, 'it is "flight-recorder/flight@2"'],
    ['no format', { format: undefined }, 'it is none'],
    ['body', { body: '***' }, 'body must be base64'],
    ['body of another kind', { body: 7 }, 'body must be a string'],
    ['content', { content: 'script' }, 'content must be'],
    ['facts', { facts: [] }, 'facts must be an object'],
    ['a fact', { facts: { ...file.facts, status: '200' } }, 'facts.status must be a number'],
    ['a time', { facts: { ...file.facts, startedAt: 'noon' } }, 'facts.startedAt must be a time'],
    ['a last time', { facts: { ...file.facts, lastAt: 'noon' } }, 'facts.lastAt must be a time'],
    ['hits', { facts: { ...file.facts, hits: -1 } }, 'facts.hits must be a number that is not negative'],
    ['chunks', { chunks: [[1, 2, 3]] }, 'chunks[0] has 3 entries'],
    ['their sum', { chunks: [[1, 5]] }, 'chunks add up to 5 bytes, but body has 6'],
    ['a negative count', { chunks: [[1, -6]] }, 'chunks[0][1] must be a number that is not negative'],
    ['a size', { facts: { ...file.facts, sizes: { flight: 'large' } } }, 'facts.sizes.flight must be a number'],
    ['what caches are told', { facts: { ...file.facts, caching: { headers: [] } } }, 'facts.caching must have headers'],
    ['names', { elided: [1] }, 'elided[0] must be a string'],
    ['arguments', { arguments: { contentType: 'text/plain' } }, 'arguments.bytes must be'],
    ['server time', { serverTime: { tellers: [] } }, 'serverTime.spans must be a list'],
  ])('says what is wrong: %s', (_, changes, reason) => {
    expect(readFlightFile(change(changes))).toEqual({
      kind: 'malformed',
      reason: expect.stringContaining(reason),
    });
  });

  test('is of one hit when it was written before hits were counted', () => {
    const { hits: _hits, lastAt: _lastAt, ...facts } = file.facts;
    expect(readFlightFile(change({ facts }))).toEqual({ kind: 'flight-file', file });
  });

  test('has no sizes when it was written before there were three', () => {
    const { sizes: _sizes, ...facts } = file.facts;
    const read = { ...file, facts: { ...facts, sizes: null } };
    expect(readFlightFile(change({ facts }))).toEqual({ kind: 'flight-file', file: read });
  });

  test('has no server time when it was written before there was one', () => {
    expect(readFlightFile(change({ serverTime: undefined }))).toEqual({
      kind: 'flight-file',
      file: { ...file, serverTime: null },
    });
  });

  test('ignores what a later writer may add', () => {
    expect(readFlightFile(change({ comment: 'new' }))).toEqual({ kind: 'flight-file', file });
  });

  test('never throws, whatever the text', () => {
    assert(
      property(oneof(string(), json()), (text) => {
        expect(readFlightFile(text).kind).toBe('malformed');
      }),
    );
    expect(readFlightFile(writeFlightFile(file).slice(0, -20)).kind).toBe('malformed');
  });
});
