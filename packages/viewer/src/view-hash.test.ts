import { describe, expect, it } from 'vitest';

import { decodeFlight } from '#flight';

import { formatRowName, formatViewHash, leadsElsewhere, parseViewHash, type View } from './view-hash.ts';

const text = ':HL["/a.css","style"]\n1a:R\n1a:"first"\n1a:"second"\n1a:C\n0:["$1a"]\n';
const flight = decodeFlight(new TextEncoder().encode(text));

describe('a row’s name', () => {
  it('is its id where that is enough, and finds every row', () => {
    const names = Array.from({ length: flight.rows.count }, (_, row) => formatRowName(flight, row));
    expect(names).toEqual(['0.0', '1a', '1a.1', '1a.2', '1a.3', '0']);
    expect(names.map((name) => parseViewHash(flight, `#row=${name}`).selected?.row)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('is found for each of fifty thousand rows with one id', () => {
    const rows = decodeFlight(new TextEncoder().encode('0:R\n'.repeat(50_000)));
    const names = new Set(Array.from({ length: rows.rows.count }, (_, row) => formatRowName(rows, row)));
    expect(names.size).toBe(50_000);
  });

  it.each(['', 'xyz', '1b', '1a.9', '123456789', '1A'])('%j is none', (name) => {
    expect(parseViewHash(flight, `#row=${name}`).selected).toBeUndefined();
  });
});

describe('the address', () => {
  const start = text.indexOf('["$1a"]');
  it.each<[string, View]>([
    ['', { tab: 'overview', selected: undefined, time: undefined }],
    ['#row=1a', { tab: 'rows', selected: { row: 1 }, time: undefined }],
    ['#tab=waterfall&row=0', { tab: 'waterfall', selected: { row: 5 }, time: undefined }],
    [
      `#row=0&bytes=${start}-${start + 7}`,
      { tab: 'rows', selected: { row: 5, start, end: start + 7 }, time: undefined },
    ],
    ['#tab=rows&time=38.5', { tab: 'rows', selected: undefined, time: 38.5 }],
  ])('%j is read and written', (hash, view) => {
    expect(parseViewHash(flight, hash)).toEqual(view);
    expect(formatViewHash(flight, view)).toBe(hash);
  });

  it('stands behind what of a file is shown', () => {
    const view: View = { tab: 'waterfall', selected: { row: 0 }, time: undefined };
    const hash = formatViewHash(flight, view, 'show=2');
    expect(hash).toMatch(/^#show=2&tab=waterfall&row=/);
    expect(parseViewHash(flight, hash)).toEqual(view);
    expect(leadsElsewhere(hash, 'show=2')).toBe(false);
    expect(leadsElsewhere('#tab=rows', 'show=2')).toBe(false);
    expect(leadsElsewhere('#show=all', 'show=2')).toBe(true);
    expect(leadsElsewhere('#show=all')).toBe(false);
  });

  it('leaves out what is not there: a tab, a row, bytes of another row, a time that is none', () => {
    expect(parseViewHash(flight, '#tab=evil&row=ff&bytes=0-1&time=1e9')).toEqual({
      tab: 'overview',
      selected: undefined,
      time: undefined,
    });
    expect(parseViewHash(flight, '#row=0&bytes=0-60').selected).toEqual({ row: 5 });
    expect(parseViewHash(flight, `#row=0&bytes=${start}-9999`).selected).toEqual({ row: 5 });
  });
});
