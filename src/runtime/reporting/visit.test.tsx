import { afterEach, beforeEach, expect, it, vi } from 'vitest';

const idPattern = /^[0-9a-f]{32}$/;
let beacons: unknown[][];

/** Starts as a new document of the same tab. */
async function openDocument() {
  vi.resetModules();
  return import('./visit.ts');
}

beforeEach(() => {
  sessionStorage.clear();
  beacons = [];
  // happy-dom does not have it. Then the browser makes the trace id itself.
  vi.stubGlobal('PerformanceNavigationTiming', Event);
  Object.defineProperty(navigator, 'sendBeacon', {
    configurable: true,
    value: (...sent: unknown[]) => beacons.push(sent) > 0,
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
  Reflect.deleteProperty(navigator, 'sendBeacon');
});

it('names one tab in all of its documents', async () => {
  const first = (await openDocument()).createVisitHeaders();
  const second = (await openDocument()).createVisitHeaders();
  expect(first['x-flight-visit']).toMatch(idPattern);
  expect(second).toEqual(first);
});

it('says once which prefetches were shown: with the next request, twenty at a time, or when the document closes', async () => {
  const { createVisitHeaders, noteShownPrefetch } = await openDocument();
  createVisitHeaders();
  for (let index = 0; index < 23; index += 1) noteShownPrefetch(`id${index}`);
  noteShownPrefetch(null);
  expect(createVisitHeaders()['x-flight-used']?.split(',')).toHaveLength(20);
  window.dispatchEvent(new Event('pagehide'));
  const [path, body] = beacons.at(-1) ?? [];
  expect(path).toBe('/_api/flight-usage');
  const [trace, ...ids] = String(body).split(',');
  expect(trace).toMatch(idPattern);
  expect(ids).toEqual(['id20', 'id21', 'id22']);
  expect(createVisitHeaders()['x-flight-used']).toBeUndefined();
});
