import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { findStream } from './find-stream.ts';

/** happy-dom has no such class. */
class Timing {
  readonly startTime: number;
  readonly responseEnd: number;
  readonly serverTiming: readonly { readonly name: string; readonly description: string }[];
  constructor(startTime: number, responseEnd: number, id: string) {
    this.startTime = startTime;
    this.responseEnd = responseEnd;
    this.serverTiming = id === '' ? [] : [{ name: 'flight', description: id.padEnd(32, '0') }];
  }
}

let entries: Record<string, Timing[]>;

beforeEach(() => {
  entries = {};
  vi.stubGlobal('PerformanceResourceTiming', Timing);
  vi.stubGlobal('performance', { getEntriesByType: (type: string) => entries[type] ?? [] });
  vi.stubGlobal('navigator', { onLine: true });
});

afterEach(() => vi.unstubAllGlobals());

it('finds the answer that ended when it was said, among those that a proxy has named', () => {
  entries = {
    navigation: [new Timing(0, 900, 'a')],
    resource: [new Timing(1_000, 31_000, 'b'), new Timing(30_900, 30_990, ''), new Timing(29_000, 29_100, 'c')],
  };
  expect(findStream(31_010)).toEqual({ flight: 'b'.padEnd(32, '0'), ms: 30_000, online: true });
});

it('takes the document that has no end yet', () => {
  entries = { navigation: [new Timing(0, 0, 'a')] };
  expect(findStream(5_000)).toEqual({ flight: 'a'.padEnd(32, '0'), ms: 5_000, online: true });
});

it('finds none where none ended then, or none has a name', () => {
  entries = { navigation: [new Timing(0, 900, 'a')], resource: [new Timing(30_000, 31_000, '')] };
  expect(findStream(31_010)).toBeUndefined();
});
