import { describe, expect, it } from 'vitest';

import { readDigest } from '#report/digest.ts';
import { throwNamedFailure } from './server-error.ts';

describe('throwNamedFailure', () => {
  it('throws an error with the digest that a failed response names', async () => {
    const response = new Response('words', { status: 500, headers: { 'x-flight-digest': '3F7K2M9QRT' } });
    const error = await throwNamedFailure(response).catch((thrown: unknown) => thrown);
    expect(readDigest(error)).toBe('3F7K2M9QRT');
  });

  it.each([
    ['a success', new Response('x', { headers: { 'x-flight-digest': '3F7K2M9QRT' } })],
    ['a failure without a digest', new Response('x', { status: 502 })],
    ['a digest that is none', new Response('x', { status: 500, headers: { 'x-flight-digest': '<script>' } })],
  ])('passes %s on', async (_, response) => {
    expect(await throwNamedFailure(response)).toBe(response);
  });
});
