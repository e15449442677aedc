import { onCLS, onFCP, onINP, onLCP, onTTFB, type MetricWithAttribution } from 'web-vitals/attribution';

import { describeAddress } from './breadcrumbs.ts';
import { readFlightId } from './flight-id.ts';
import { createPace } from './pace.ts';

/**
 * How fast the page came and how it answered, as Google's Web Vitals (https://web.dev/articles/vitals): when its largest element was
 * painted, how long it took to answer, how far its elements were moved, with the element of each. Told of the flight that the proxy
 * named, when the page is hidden, which may be its end. No text of the page is told, and of an address only what breadcrumbs tell.
 */

/** Characters. The package cuts at 100, but one class or id may be longer. */
const elementLimit = 200;
const memoryKey = 'flight:vitals-pace';

type Told = Record<string, string | number | undefined>;

function cut(element: string | undefined): string | undefined {
  return element?.slice(0, elementLimit) || undefined;
}

/** The fields are those of the receiver (src/flights/vitals/vitals.ts). */
function describe(metric: MetricWithAttribution): Told | number {
  switch (metric.name) {
    case 'LCP': {
      const { target, url, resourceLoadDelay, resourceLoadDuration, elementRenderDelay } = metric.attribution;
      return {
        ms: Math.round(metric.value),
        element: cut(target),
        address: url && describeAddress(url),
        loadDelayMs: Math.round(resourceLoadDelay),
        loadMs: Math.round(resourceLoadDuration),
        renderDelayMs: Math.round(elementRenderDelay),
      };
    }
    case 'INP': {
      const { interactionTarget, interactionType, inputDelay, processingDuration, presentationDelay } =
        metric.attribution;
      return {
        ms: Math.round(metric.value),
        element: cut(interactionTarget),
        by: interactionType,
        waitedMs: Math.round(inputDelay),
        workedMs: Math.round(processingDuration),
        paintedMs: Math.round(presentationDelay),
      };
    }
    case 'CLS': {
      const { largestShiftTarget, largestShiftTime } = metric.attribution;
      return {
        score: Number(metric.value.toFixed(4)),
        element: cut(largestShiftTarget),
        atMs: largestShiftTime === undefined ? undefined : Math.round(largestShiftTime),
      };
    }
    case 'TTFB': {
      const { requestDuration } = metric.attribution;
      return { ms: Math.round(metric.value), askedMs: Math.round(metric.value - requestDuration) };
    }
    case 'FCP':
      return Math.round(metric.value);
  }
}

/** The document's flight. None where it is from the browser's cache: then that flight was another page view. */
function findDocument(): string | undefined {
  const [navigation] = performance.getEntriesByType('navigation');
  return navigation instanceof PerformanceNavigationTiming && navigation.transferSize > 0
    ? readFlightId(navigation)
    : undefined;
}

/**
 * @param address where it is told
 * @param remembers whether the tab may keep how much it has told
 */
export function watchVitals(address: string, remembers: boolean): void {
  const id = findDocument();
  if (id === undefined) return;
  const vitals: Record<string, Told | number> = {};
  // Apart from errors, which must not miss a place because somebody went through many pages.
  const takePlace = createPace(remembers, memoryKey);
  let hasChanged = false;

  function note(metric: MetricWithAttribution): void {
    // What comes back with a step back or forward is another page view, which asked the server for nothing.
    if (metric.navigationType === 'back-forward-cache') return;
    vitals[metric.name.toLowerCase()] = describe(metric);
    hasChanged = true;
  }

  for (const watch of [onTTFB, onFCP, onLCP, onCLS]) watch(note);
  // The package looks at an act when the page is idle next. If it is hidden before, only a change is told then.
  onINP(note, { reportAllChanges: true });
  // Not while the event is captured, as the package does: then it has measured the last of it. A page that is seen again may tell more,
  // which replaces this.
  addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible' || !hasChanged || !takePlace(Date.now())) return;
    hasChanged = false;
    navigator.sendBeacon(address, JSON.stringify({ vitals: { id, ...vitals } }));
  });
}
