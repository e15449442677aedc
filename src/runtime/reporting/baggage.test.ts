import { describe, expect, it } from 'vitest';

import { runtimeSettings } from '../settings.ts';
import { parseBaggage, serializeBaggage } from './baggage.ts';

const limit = runtimeSettings.baggageMaxLength;

describe('serializeBaggage', () => {
  it('reads back as the same members', () => {
    const members = new Map([
      ['sentry-trace_id', 'a'.repeat(32)],
      ['sentry-environment', 'staging, eu; "1"'],
    ]);
    expect(parseBaggage(serializeBaggage(members))).toEqual(members);
  });

  it('leaves out a member that does not fit, whole, and keeps the smaller ones after it', () => {
    const header = serializeBaggage(
      new Map([
        ['first', 'x'.repeat(limit)],
        ['second', '2'],
        ['third', '3'],
      ]),
    );
    expect(header).toBe('second=2,third=3');
  });

  it('counts the encoded form', () => {
    const value = 'é'.repeat(limit / 6 - 1);
    expect(value.length).toBeLessThan(limit / 4);
    expect(serializeBaggage(new Map([['k', value]]))?.length).toBe(2 + value.length * 6);
    expect(serializeBaggage(new Map([['k', `${value}éé`]]))).toBeUndefined();
  });

  it('fills the header to the last character and no further', () => {
    expect(serializeBaggage(new Map([['k', 'x'.repeat(limit - 2)]]))?.length).toBe(limit);
    expect(serializeBaggage(new Map([['k', 'x'.repeat(limit - 1)]]))).toBeUndefined();
  });
});

describe('parseBaggage', () => {
  it('keeps what is readable of a damaged header', () => {
    expect([...parseBaggage('a=1, b=%zz,=3,c,d=4;prop=5,a=6')]).toEqual([
      ['a', '6'],
      ['d', '4'],
    ]);
  });

  it('does not read a header over the limit', () => {
    expect(parseBaggage(`a=1,${'b'.repeat(limit)}=2`).size).toBe(0);
  });
});
