import { describe, expect, it } from 'vitest';

import { trimEvent } from './trim-event.ts';

function trim(event: unknown, limit: number) {
  const text = typeof event === 'string' ? event : JSON.stringify(event);
  const trimmed = trimEvent(new TextEncoder().encode(text), limit, () => true);
  return trimmed && { event: JSON.parse(new TextDecoder().decode(trimmed.bytes)), leftOut: trimmed.leftOut };
}

const big = 'x'.repeat(5_000);

describe('trimEvent', () => {
  it('leaves out the largest part first, and no more than is needed', () => {
    const event = {
      message: 'm',
      extra: { a: big },
      breadcrumbs: [{ message: big }, { message: big }],
      tags: { a: 'b' },
    };
    expect(trim(event, 6_000)).toEqual({ event: { ...event, breadcrumbs: null }, leftOut: ['breadcrumbs'] });
    expect(trim(event, 1_000)).toEqual({
      event: { ...event, breadcrumbs: null, extra: null },
      leftOut: ['breadcrumbs', 'extra'],
    });
  });

  it('leaves out variables and source lines of frames, wherever they stand', () => {
    const frame = {
      filename: 'a.py',
      vars: { deep: [{ vars: big }] },
      pre_context: [big],
      context_line: 'x',
      post_context: [],
    };
    const event = { exception: { values: [{ type: 'E', stacktrace: { frames: [frame, frame] } }] } };
    const kept = { filename: 'a.py', vars: null, pre_context: null, context_line: 'x', post_context: null };
    expect(trim(event, 1_000)).toEqual({
      event: { exception: { values: [{ type: 'E', stacktrace: { frames: [kept, kept] } }] } },
      leftOut: ['variables', 'source lines'],
    });
  });

  it('leaves out a part whole, whatever stands in it', () => {
    const variables = { deep: { vars: { a: big }, pre_context: [1] }, after: big };
    const event = { exception: [{ stacktrace: { frames: [{ vars: variables, filename: 'a.py' }] } }], message: 'm' };
    expect(trim(event, 1_000)).toEqual({
      event: { exception: [{ stacktrace: { frames: [{ vars: null, filename: 'a.py' }] } }], message: 'm' },
      leftOut: ['variables'],
    });
  });

  it('leaves out where it happened only when nothing else helps', () => {
    const event = { message: 'm', contexts: { a: { b: big + big } }, extra: big };
    expect(trim(event, 11_000)?.leftOut).toEqual(['extra']);
    expect(trim(event, 1_000)?.leftOut).toEqual(['extra', 'contexts']);
  });

  it.each([
    ['letters', 'x'.repeat(40_000)],
    ['escapes', `${'a'.repeat(8_180)}\n"\\${'\u0001'.repeat(9_000)}`],
    ['characters of several bytes', 'ü€😀'.repeat(9_000)],
    ['nothing but escapes', '\n'.repeat(40_000)],
  ])('cuts a long text of %s', (_, text) => {
    const { event, leftOut } = trim({ message: text, level: 'error' }, 10_000) ?? {};
    expect(leftOut).toEqual(['long texts']);
    expect(event.level).toBe('error');
    expect(text.startsWith(event.message)).toBe(true);
  });

  it('mistakes no text for a part, and no part elsewhere for one of the event', () => {
    const event = {
      message: '"breadcrumbs":[{},\\',
      exception: [{ value: '}],"extra":{', breadcrumbs: 1, extra: { kept: true } }],
      extra: big,
    };
    expect(trim(event, 1_000)).toEqual({ event: { ...event, extra: null }, leftOut: ['extra'] });
  });

  it('gives up where nothing can be left out', () => {
    expect(trim({ exception: Array.from({ length: 500 }, () => ({ type: 'E' })) }, 1_000)).toBeUndefined();
    expect(trimEvent(new TextEncoder().encode('['.repeat(100_000)), 1e6, () => true)).toBeUndefined();
    expect(trimEvent(new TextEncoder().encode('{"extra":"'), 1e6, () => false)).toBeUndefined();
  });

  it.each([
    ['variables', `{"exception":[${'{"vars":0},'.repeat(700_000)}0]}`],
    ['empty texts', `{"extra":[${'"",'.repeat(700_000)}0]}`],
    ['escaped quotes', `{"extra":"${String.raw`\"`.repeat(700_000)}"}`],
    ['brackets', `{"extra":[${'{},'.repeat(700_000)}0]}`],
    ['blanks', `{"extra":[${' '.repeat(3_000_000)}0]}`],
  ])('gives up where an event is made of %s alone', (_, text) => {
    expect(trimEvent(Buffer.from(text), 1_000, () => true)).toBeUndefined();
  });

  it('reads 20 MiB of what is written to be slow in about the time of other text', () => {
    const plain = Buffer.from(JSON.stringify({ extra: 'x'.repeat(20 * 1024 * 1024) }));
    const slow = Buffer.from(`{"extra":"${'\\\\'.repeat(10 * 1024 * 1024)}","a":${'["",'.repeat(100)}`);
    for (const bytes of [plain, slow]) {
      const start = performance.now();
      trimEvent(bytes, 1e6, () => false);
      expect(performance.now() - start).toBeLessThan(2_000);
    }
  });
});
