import { describe, expect, it } from 'vitest';

import { decodeFlight, readTokens, type Token } from '#flight';

import { moveToken } from './move-token.ts';

const text = `0:["$","p",null,{"title":"${'x'.repeat(500)}","children":"Sea"}]\n`;
const flight = decodeFlight(new TextEncoder().encode(text));
const bounds = { start: 0, end: flight.bytes.length };
const read = (from: number, to: number) => readTokens(flight, 0, from, to);
const all = readTokens(flight, 0);

function name(token: Token | undefined): string {
  return token ? text.slice(token.start, token.end).slice(0, 12) : 'none';
}

function move(key: string, current?: Token): Token | undefined {
  return moveToken(key, current, read, bounds, 20);
}

describe('moveToken', () => {
  it('visits every token from the first to the last and back', () => {
    const forth: Token[] = [];
    let at = move('ArrowRight');
    for (; at && at.start !== forth.at(-1)?.start; at = move('ArrowRight', at)) forth.push(at);
    expect(forth).toEqual(all);
    const back: Token[] = [];
    for (at = forth.at(-1); at && at.start !== back.at(-1)?.start; at = move('ArrowLeft', at)) back.push(at);
    expect(back).toEqual(all.toReversed());
  });

  it('goes to the ends of the row', () => {
    expect(name(move('Home', all[5]))).toBe('0');
    expect(name(move('End'))).toBe('\n');
  });

  it('goes by lines, and past a token of many lines', () => {
    const long = all.find(({ end, start }) => end - start > 400);
    expect(name(move('ArrowDown', all[0]))).toBe('"title"');
    expect(name(move('ArrowDown', long))).toBe('"children"');
    expect(name(move('ArrowUp', move('ArrowDown', long)))).toBe('"xxxxxxxxxxx');
    expect(name(move('ArrowUp', all[1]))).toBe('0');
    expect(name(move('ArrowUp'))).toBe('0');
  });

  it('finds the next one behind many brackets', () => {
    const depth = 700;
    const nested = decodeFlight(new TextEncoder().encode(`0:${'['.repeat(depth)}1${']'.repeat(depth)}\n`));
    const readNested = (from: number, to: number) => readTokens(nested, 0, from, to);
    const end = nested.bytes.length;
    const number = readTokens(nested, 0).find(({ kind }) => kind === 'number');
    const last = moveToken('ArrowRight', number, readNested, { start: 0, end }, 20);
    expect(last).toEqual({ kind: 'line-end', start: end - 1, end });
    expect(moveToken('ArrowLeft', last, readNested, { start: 0, end }, 20)).toEqual(number);
  });

  it('leaves other keys alone', () => {
    expect(move('a', all[0])).toBeUndefined();
  });
});
