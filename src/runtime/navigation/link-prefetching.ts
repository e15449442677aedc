import type { PrefetchTrigger } from '#src/server/http/flight-headers.ts';

/**
 * What links ask of the prefetcher. Links are on every page and are there first; what prefetches may come later, and then begins with
 * the links that are there.
 */
type Prefetching = {
  readonly observeViewport: (link: Element, href: string) => () => void;
  readonly prefetch: (href: string, trigger: PrefetchTrigger) => unknown;
};

const observed = new Set<() => void>();
let prefetching: Prefetching | undefined;

export function startPrefetching(by: Prefetching): void {
  prefetching = by;
  for (const observe of observed) observe();
}

/** Prefetches `href` while `link` is in or near the viewport. @returns a function that stops it */
export function observeLink(link: Element, href: string): () => void {
  let stop: (() => void) | undefined;
  function observe(): void {
    stop = prefetching?.observeViewport(link, href);
  }
  observed.add(observe);
  observe();
  return () => {
    observed.delete(observe);
    stop?.();
  };
}

export function prefetchLink(href: string, trigger: PrefetchTrigger): void {
  prefetching?.prefetch(href, trigger);
}
