import { expect, test } from 'vitest';

import { listPayloadChunks, readPayload } from './read-payload.ts';

const encoder = new TextEncoder();

test('a prerendered document’s payload is what its scripts carry', () => {
  const html = `<!DOCTYPE html><html><body><script>(self.__FLIGHT_DATA||=[]).push("0:\\"a\\"\\n")</script></body></html>`;
  const payload = readPayload({ content: 'html', body: encoder.encode(html) });
  expect(new TextDecoder().decode(payload)).toBe('0:"a"\n');
});

test('a document without any has an empty one, as has an answer without a body', () => {
  const body = encoder.encode('<!DOCTYPE html><p>nothing</p>');
  expect(readPayload({ content: 'html', body })).toHaveLength(0);
  expect(readPayload({ content: 'none', body })).toHaveLength(0);
});

test('chunks add up to what was kept, without development’s debug rows', () => {
  const chunks = [
    [1, 4, 0],
    [2, 100, 1],
    [3, 4, 0],
    [9, 50, 0],
  ] as const;
  expect(listPayloadChunks({ content: 'flight', body: new Uint8Array(6), chunks })).toEqual([
    { ms: 1, bytes: 4 },
    { ms: 3, bytes: 2 },
  ]);
  expect(listPayloadChunks({ content: 'html', body: new Uint8Array(6), chunks })).toEqual([]);
});
