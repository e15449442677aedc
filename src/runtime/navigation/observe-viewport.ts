import { forgetViewport, prefetch } from './prefetcher.ts';

/**
 * One observer for all links. A link counts a little before it is visible, so that its page is on its way when a
 * person reads the link; 200 px is a scroll's first step, and what other routers use.
 */
const margin = '200px';

const hrefs = new WeakMap<Element, string>();
/** The links in the viewport with what is prefetched for them. Several may lead to one page. */
const inView = new Map<Element, string>();
let observer: IntersectionObserver | undefined;

function forget(link: Element) {
  const key = inView.get(link);
  inView.delete(link);
  if (key !== undefined && ![...inView.values()].includes(key)) forgetViewport(key);
}

function handle(entries: readonly IntersectionObserverEntry[]) {
  // Newest goes first, and of links that appear together the topmost should count as the newest.
  for (const { target, isIntersecting } of entries.toReversed()) {
    const href = hrefs.get(target);
    if (href === undefined) continue;
    forget(target);
    const key = isIntersecting ? prefetch(href, 'viewport') : undefined;
    if (key !== undefined) inView.set(target, key);
  }
}

/** Prefetches `href` while `link` is in or near the viewport; returns the way to stop. */
export function observeViewport(link: Element, href: string): () => void {
  observer ??= new IntersectionObserver(handle, { rootMargin: margin });
  hrefs.set(link, href);
  observer.observe(link);
  return () => {
    observer?.unobserve(link);
    hrefs.delete(link);
    forget(link);
  };
}
