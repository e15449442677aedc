import { describe, expect, it } from 'vitest';

import { decodeFlight, readTokens } from '#flight';

import { countRawLines, readHexLine, readTextLine, type RawRange } from './raw-lines.ts';

function toRange(text: string, lit?: [number, number]): { bytes: Uint8Array; range: RawRange } {
  const bytes = new TextEncoder().encode(text);
  const range = {
    start: 0,
    end: bytes.length,
    payloadStart: 2,
    payloadEnd: bytes.length - 1,
    lit: lit && { start: lit[0], end: lit[1] },
  };
  return { bytes, range };
}

describe('readTextLine', () => {
  it('tells framing, body, escapes and what is lit apart', () => {
    const { bytes, range } = toRange('1:"ab\tc"\n', [3, 5]);
    expect(readTextLine(bytes, range, 0, 80)).toEqual([
      { text: '1:', tone: 'head', isLit: false },
      { text: '"', tone: 'body', isLit: false },
      { text: 'ab', tone: 'body', isLit: true },
      { text: '⇥', tone: 'escape', isLit: false },
      { text: 'c"', tone: 'body', isLit: false },
      { text: '↵', tone: 'escape', isLit: false },
    ]);
  });

  it.each([1, 2, 3, 5, 7])('shows every character once when lines are %i bytes wide', (width) => {
    const text = '1:"aé漢😀b"\n';
    const { bytes, range } = toRange(text);
    let shown = '';
    for (let line = 0; line < countRawLines(range, width); line++) {
      for (const span of readTextLine(bytes, range, line, width)) shown += span.text;
    }
    expect(shown).toBe(text.replace('\n', '↵'));
  });

  it('lets no mark turn the direction of the line', () => {
    const { bytes, range } = toRange('1:"a\u202eb\u0007"\n');
    const shown = readTextLine(bytes, range, 0, 80)
      .map((span) => span.text)
      .join('');
    expect(shown).toBe('1:"a\ufffdb\u2407"↵');
  });
});

describe('readTextLine with tokens', () => {
  it('says of each piece which token it is of, also when a line begins or ends within one', () => {
    const { bytes, range } = toRange('1:["ab",7]\n');
    const flight = decodeFlight(bytes);
    const read = (from: number, to: number) => readTokens(flight, 0, from, to);
    const lines = [0, 1].map((line) =>
      readTextLine(bytes, range, line, 5, read).map(({ text, token }) => `${text} ${token?.kind} ${token?.start}`),
    );
    expect(lines).toEqual([
      ['1 id 0', ': undefined undefined', '[ open 2', '"a string 3'],
      ['b" string 3', ', undefined undefined', '7 number 8', '] undefined undefined'],
    ]);
  });
});

describe('readHexLine', () => {
  it('has bytes and their text', () => {
    const { bytes, range } = toRange('1:"ab"\n', [3, 4]);
    const { hex, text } = readHexLine(bytes, range, 0, 4);
    expect(hex.map((span) => span.text).join('')).toBe('31 3a 22 61');
    expect(hex.filter((span) => span.isLit).map((span) => span.text)).toEqual(['61']);
    expect(text).toBe('1:"a');
    expect(readHexLine(bytes, range, 1, 4).text).toBe('b"·');
  });
});
