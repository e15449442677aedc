import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { watchVitals } from './vitals.ts';

/** What the package tells of a page, when it pleases. */
const { listeners } = vi.hoisted(() => {
  return { listeners: new Map<string, (metric: object) => void>() };
});

vi.mock('web-vitals/attribution', () => {
  const names = ['onCLS', 'onFCP', 'onINP', 'onLCP', 'onTTFB'];
  return Object.fromEntries(names.map((name) => [name, (tell: (metric: object) => void) => listeners.set(name, tell)]));
});

/** happy-dom makes none. */
class NavigationTiming {
  readonly entryType = 'navigation';
}

type Navigation = { readonly transferSize: number; readonly flight?: string };

const id = 'ab'.repeat(16);
let told: unknown[];
let added: [string, EventListenerOrEventListenerObject][];

beforeEach(() => {
  told = [];
  added = [];
  listeners.clear();
  sessionStorage.clear();
  vi.stubGlobal('PerformanceNavigationTiming', NavigationTiming);
  vi.stubGlobal('navigator', {
    sendBeacon: (address: string, text: string) => told.push([address, JSON.parse(text)]) > 0,
  });
  const { addEventListener } = window;
  vi.spyOn(window, 'addEventListener').mockImplementation((type, listener, options) => {
    if (listener) added.push([type, listener]);
    addEventListener.call(window, type, listener, options);
  });
});

afterEach(() => {
  for (const [type, listener] of added) removeEventListener(type, listener);
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

function begin({ transferSize, flight }: Navigation, remembers = false): void {
  const serverTiming = flight === undefined ? [] : [{ name: 'flight', description: flight }];
  const navigation = Object.defineProperties(new PerformanceNavigationTiming(), {
    transferSize: { value: transferSize },
    serverTiming: { value: serverTiming },
  });
  vi.spyOn(performance, 'getEntriesByType').mockReturnValue([navigation]);
  watchVitals('/_fr/used', remembers);
}

function hide(): void {
  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
  dispatchEvent(new Event('visibilitychange'));
}

const load = { navigationType: 'navigate' };

function tellShift(score: number, navigationType = 'navigate'): void {
  const attribution = { largestShiftTarget: '#late', largestShiftTime: 12.4 };
  listeners.get('onCLS')?.({ name: 'CLS', value: score, navigationType, attribution });
}

it('tells all of a page at once when it is hidden, of the flight that the proxy named', () => {
  begin({ transferSize: 900, flight: id });
  const delays = { resourceLoadDelay: 3.2, resourceLoadDuration: 800.6, elementRenderDelay: 9 };
  const url = `${location.origin}/hero.png?token=secret`;
  const largest = { target: `#${'x'.repeat(300)}`, url, ...delays };
  listeners.get('onLCP')?.({ name: 'LCP', value: 1_400.4, ...load, attribution: largest });
  const answer = { interactionTarget: 'main>button', interactionType: 'pointer' };
  const parts = { inputDelay: 2, processingDuration: 80, presentationDelay: 14.2 };
  listeners.get('onINP')?.({ name: 'INP', value: 96, ...load, attribution: { ...answer, ...parts } });
  listeners.get('onFCP')?.({ name: 'FCP', value: 700, ...load });
  listeners.get('onTTFB')?.({ name: 'TTFB', value: 450.5, ...load, attribution: { requestDuration: 438 } });
  tellShift(0.312345);
  expect(told).toEqual([]);
  hide();
  const vitals = {
    id,
    lcp: {
      ms: 1_400,
      element: `#${'x'.repeat(199)}`,
      address: '/hero.png?token',
      loadDelayMs: 3,
      loadMs: 801,
      renderDelayMs: 9,
    },
    inp: { ms: 96, element: 'main>button', by: 'pointer', waitedMs: 2, workedMs: 80, paintedMs: 14 },
    cls: { score: 0.3123, element: '#late', atMs: 12 },
    fcp: 700,
    ttfb: { ms: 451, askedMs: 13 },
  };
  expect(told).toEqual([['/_fr/used', { vitals }]]);
});

it('waits for what the package measures in its own listener of the same event, however late that came', () => {
  begin({ transferSize: 900, flight: id });
  addEventListener('visibilitychange', () => tellShift(0.25), { capture: true, once: true });
  document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  expect(told).toEqual([]);
  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
  addEventListener('visibilitychange', () => tellShift(0.5), { capture: true, once: true });
  document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  expect(JSON.stringify(told)).toContain('"score":0.5');
});

it('tells again what changed after it was seen again, and nothing where nothing did', () => {
  begin({ transferSize: 900, flight: id });
  tellShift(0.1);
  hide();
  hide();
  tellShift(0.2);
  hide();
  expect(told.map((one) => JSON.stringify(one).match(/"score":([\d.]+)/)?.[1])).toEqual(['0.1', '0.2']);
});

it('tells nothing of a page that came back with a step back', () => {
  begin({ transferSize: 900, flight: id });
  tellShift(0.1, 'back-forward-cache');
  hide();
  expect(told).toEqual([]);
});

it.each([
  ['whose flight nobody named', { transferSize: 900 }],
  ['that the browser had kept, so that the flight is another view of it', { transferSize: 0, flight: id }],
])('measures nothing in a page %s', (_, navigation) => {
  begin(navigation);
  expect(listeners.size).toBe(0);
});

it('tells no more than reports of errors may be sent, and takes no place from them', () => {
  sessionStorage.setItem('flight:pace', `${Math.floor(Date.now() / 3_600_000)},30,100`);
  begin({ transferSize: 900, flight: id }, true);
  for (let shift = 0; shift < 20; shift += 1) {
    tellShift(shift);
    hide();
  }
  expect(told).toHaveLength(10);
});
