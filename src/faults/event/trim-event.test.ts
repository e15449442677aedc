import { describe, expect, it, vi } from 'vitest';

import { trimEvent } from './trim-event.ts';

async function trim(event: unknown, limit: number) {
  const text = typeof event === 'string' ? event : JSON.stringify(event);
  const trimmed = await trimEvent(new TextEncoder().encode(text), limit, () => true);
  return trimmed && { event: JSON.parse(new TextDecoder().decode(trimmed.bytes)), leftOut: trimmed.leftOut };
}

const big = 'x'.repeat(5_000);

describe('trimEvent', () => {
  it('leaves out the largest part first, and no more than is needed', async () => {
    const event = {
      message: 'm',
      extra: { a: big },
      breadcrumbs: [{ message: big }, { message: big }],
      tags: { a: 'b' },
    };
    expect(await trim(event, 6_000)).toEqual({ event: { ...event, breadcrumbs: null }, leftOut: ['breadcrumbs'] });
    expect(await trim(event, 1_000)).toEqual({
      event: { ...event, breadcrumbs: null, extra: null },
      leftOut: ['breadcrumbs', 'extra'],
    });
  });

  it('leaves out variables and source lines of frames, wherever they stand', async () => {
    const frame = {
      filename: 'a.py',
      vars: { deep: [{ vars: big }] },
      pre_context: [big],
      context_line: 'x',
      post_context: [],
    };
    const event = { exception: { values: [{ type: 'E', stacktrace: { frames: [frame, frame] } }] } };
    const kept = { filename: 'a.py', vars: null, pre_context: null, context_line: 'x', post_context: null };
    expect(await trim(event, 1_000)).toEqual({
      event: { exception: { values: [{ type: 'E', stacktrace: { frames: [kept, kept] } }] } },
      leftOut: ['variables', 'source lines'],
    });
  });

  it('leaves out a part whole, whatever stands in it', async () => {
    const variables = { deep: { vars: { a: big }, pre_context: [1] }, after: big };
    const event = { exception: [{ stacktrace: { frames: [{ vars: variables, filename: 'a.py' }] } }], message: 'm' };
    expect(await trim(event, 1_000)).toEqual({
      event: { exception: [{ stacktrace: { frames: [{ vars: null, filename: 'a.py' }] } }], message: 'm' },
      leftOut: ['variables'],
    });
  });

  it('leaves out where it happened only when nothing else helps', async () => {
    const event = { message: 'm', contexts: { a: { b: big + big } }, extra: big };
    expect((await trim(event, 11_000))?.leftOut).toEqual(['extra']);
    expect((await trim(event, 1_000))?.leftOut).toEqual(['extra', 'contexts']);
  });

  it.each([
    ['letters', 'x'.repeat(40_000)],
    ['escapes', `${'a'.repeat(8_180)}\n"\\${'\u0001'.repeat(9_000)}`],
    ['characters of several bytes', 'ü€😀'.repeat(9_000)],
    ['nothing but escapes', '\n'.repeat(40_000)],
  ])('cuts a long text of %s', async (_, text) => {
    const { event, leftOut } = (await trim({ message: text, level: 'error' }, 10_000)) ?? {};
    expect(leftOut).toEqual(['long texts']);
    expect(event.level).toBe('error');
    expect(text.startsWith(event.message)).toBe(true);
  });

  it('mistakes no text for a part, and no part elsewhere for one of the event', async () => {
    const event = {
      message: '"breadcrumbs":[{},\\',
      exception: [{ value: '}],"extra":{', breadcrumbs: 1, extra: { kept: true } }],
      extra: big,
    };
    expect(await trim(event, 1_000)).toEqual({ event: { ...event, extra: null }, leftOut: ['extra'] });
  });

  it('gives up where nothing can be left out', async () => {
    expect(await trim({ exception: Array.from({ length: 500 }, () => ({ type: 'E' })) }, 1_000)).toBeUndefined();
    expect(await trimEvent(new TextEncoder().encode('['.repeat(100_000)), 1e6, () => true)).toBeUndefined();
    expect(await trimEvent(new TextEncoder().encode('{"extra":"'), 1e6, () => false)).toBeUndefined();
  });

  it.each([
    ['variables', `{"exception":[${'{"vars":0},'.repeat(700_000)}0]}`],
    ['empty texts', `{"extra":[${'"",'.repeat(700_000)}0]}`],
    ['escaped quotes', `{"extra":"${String.raw`\"`.repeat(700_000)}"}`],
    ['brackets', `{"extra":[${'{},'.repeat(700_000)}0]}`],
    ['blanks', `{"extra":[${' '.repeat(3_000_000)}0]}`],
  ])('gives up where an event is made of %s alone', async (_, text) => {
    expect(await trimEvent(Buffer.from(text), 1_000, () => true)).toBeUndefined();
  });

  it('reads 20 MiB of what is written to be slow in about the time of other text', async () => {
    const plain = Buffer.from(JSON.stringify({ extra: 'x'.repeat(20 * 1024 * 1024) }));
    const slow = Buffer.from(`{"extra":"${'\\\\'.repeat(10 * 1024 * 1024)}","a":${'["",'.repeat(100)}`);
    for (const bytes of [plain, slow]) {
      const start = performance.now();
      await trimEvent(bytes, 1e6, () => false);
      expect(performance.now() - start).toBeLessThan(2_000);
    }
  });

  it.each([
    ['frames', `{"exception":[${'{"vars":0},'.repeat(140_000)}0]}`],
    ['escaped quotes', `{"extra":"${String.raw`\"`.repeat(500_000)}"}`],
    ['blanks', `{"extra":[${' '.repeat(2_000_000)}0]}`],
  ])('lets others have their turn in a large event of %s', async (_, text) => {
    let [turns, isOver] = [0, false];
    function count(): void {
      turns += 1;
      if (!isOver) setImmediate(count);
    }
    setImmediate(count);
    await trimEvent(Buffer.from(text), 1_000, () => true);
    isOver = true;
    expect(turns).toBeGreaterThan(10);
  });

  it('copies nothing of an event that has more parts than can be read', async () => {
    const text = `{"exception":[${'{"vars":{}},'.repeat(45_000)}0]}`;
    const isReadable = vi.fn(() => true);
    expect(await trimEvent(Buffer.from(text), 1024 * 1024, isReadable)).toBeUndefined();
    expect(isReadable).not.toHaveBeenCalled();
  });
});
