import { describe, expect, it } from 'vitest';

import { openFlights } from '#flight';

import { arrangeHarRows, harColumns, measureSpan, readHarRows, type HarOrder } from './har-rows.ts';

const payload = '0:"hello"\n';
const page = `<!DOCTYPE html><script>(self.__FLIGHT_DATA||=[]).push(${JSON.stringify(payload)})</script>`;

type Fields = { readonly [name: string]: unknown };

function entry(url: string, second: number, more: { request?: Fields; response?: Fields; text?: string } = {}) {
  const { text = payload } = more;
  return {
    startedDateTime: `2026-11-20T10:00:0${second}.000Z`,
    time: 100 + second,
    request: { method: 'GET', url, headers: [], ...more.request },
    response: { status: 200, headers: [], content: { text, size: text.length }, ...more.response },
    timings: { wait: 40, receive: 60 },
  };
}

const prefetch = { headers: [{ name: 'Next-Router-Prefetch', value: '1' }] };
const action = { method: 'POST', headers: [{ name: 'next-action', value: 'a1' }] };

async function read(entries: readonly object[]) {
  const input = await openFlights(new TextEncoder().encode(JSON.stringify({ log: { entries } })));
  if (input.kind !== 'flights') throw new Error(input.reason);
  return readHarRows(input.flights);
}

async function readSome() {
  return read([
    entry('https://a.example/b?_rsc=1', 2, { response: { bodySize: 7, _transferSize: 300 } }),
    entry('https://a.example/a', 0, { request: prefetch, response: { bodySize: -1, _transferSize: 200 } }),
    entry('https://a.example/page', 1, { text: page, response: { _transferSize: 0 } }),
    entry('https://a.example/RSC/S/side.txt', 3, { response: { status: 500 } }),
    entry('https://a.example/a', 4, { request: action }),
  ]);
}

describe('what a HAR says of a flight', () => {
  it('its kind, times and three sizes', async () => {
    expect(await readSome()).toMatchObject([
      {
        index: 0,
        title: 'GET /b?_rsc=1',
        kind: 'navigation',
        startMs: 2000,
        firstByteMs: 40,
        totalMs: 102,
        flightBytes: 10,
        responseBytes: 10,
        transferredBytes: 7,
      },
      { kind: 'prefetch', startMs: 0, transferredBytes: 200 },
      { kind: 'document', flightBytes: 10, responseBytes: page.length, transferredBytes: undefined },
      { kind: 'slice', status: 500, transferredBytes: undefined },
      { kind: 'action', title: 'POST /a' },
    ]);
  });

  it('that it may be a click or a prefetch, where Next.js sends the same for both', async () => {
    const tree = encodeURIComponent('["",{"children":["__PAGE__",{},null,null]},null,null,true]');
    const ask = { name: 'Next-Router-State-Tree', value: tree };
    const rows = await read([
      entry('https://a.example/a?_rsc=1', 0, { request: { headers: [ask] } }),
      entry('https://a.example/a?_rsc=1', 1, { request: { headers: [ask, { name: 'Priority', value: 'i' }] } }),
    ]);
    expect(rows.map(({ kind }) => kind)).toEqual(['navigation-or-prefetch', 'prefetch']);
  });

  it('no time when it has none', async () => {
    const rows = await read([{ ...entry('https://a.example/x', 0), startedDateTime: 'yesterday' }]);
    expect(rows).toMatchObject([{ startMs: undefined }]);
    expect(measureSpan(rows)).toBe(100);
  });
});

describe('the list', () => {
  const all = { text: '', kind: '' };
  const byTime: HarOrder = { by: 'time', isDescending: false };

  async function arrange(filter: { text: string; kind: string }, order: HarOrder) {
    return arrangeHarRows(await readSome(), filter, order).map(({ index }) => index);
  }

  it.each([
    ['time', [1, 2, 0, 3, 4]],
    ['kind', [4, 2, 0, 1, 3]],
    ['path', [1, 0, 2, 3, 4]],
    ['status', [0, 1, 2, 4, 3]],
    ['duration', [1, 2, 0, 3, 4]],
    ['flight', [0, 1, 2, 3, 4]],
    ['response', [0, 1, 3, 4, 2]],
    ['transferred', [2, 3, 4, 0, 1]],
  ] as const)('by %s', async (by, expected) => {
    expect(await arrange(all, { by, isDescending: false })).toEqual(expected);
    expect(harColumns).toContain(by);
  });

  it('falling, with equal ones as in the file', async () => {
    expect(await arrange(all, { by: 'flight', isDescending: true })).toEqual([0, 1, 2, 3, 4]);
    expect(await arrange(all, { by: 'transferred', isDescending: true })).toEqual([1, 0, 2, 3, 4]);
  });

  it('of what is filtered', async () => {
    expect(await arrange({ text: ' /A', kind: '' }, byTime)).toEqual([1, 4]);
    expect(await arrange({ text: '500', kind: '' }, byTime)).toEqual([3]);
    expect(await arrange({ text: '', kind: 'document' }, byTime)).toEqual([2]);
    expect(await arrange({ text: 'b', kind: 'document' }, byTime)).toEqual([]);
  });

  it('spans from the first request to the last end', async () => {
    expect(measureSpan(await readSome())).toBe(4104);
    expect(measureSpan([])).toBe(1);
  });
});
