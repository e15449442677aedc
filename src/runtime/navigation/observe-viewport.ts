import { forgetViewport, prefetch } from './prefetcher.ts';

/**
 * One observer for all links. A link counts a little before it is visible, so that its page is being fetched when a
 * person reads the link. 200 px is the first step of a scroll, and what other routers use.
 */
const margin = '200px';

const hrefs = new WeakMap<Element, string>();
/** The links in the viewport, each with the href that is prefetched for it. Several links may lead to one page. */
const inView = new Map<Element, string>();
let observer: IntersectionObserver | undefined;

function forget(link: Element) {
  const key = inView.get(link);
  inView.delete(link);
  if (key !== undefined && ![...inView.values()].includes(key)) forgetViewport(key);
}

function handle(entries: readonly IntersectionObserverEntry[]) {
  // The newest is fetched first. Among links that appear together, the topmost should count as the newest.
  for (const { target, isIntersecting } of entries.toReversed()) {
    const href = hrefs.get(target);
    if (href === undefined) continue;
    forget(target);
    const key = isIntersecting ? prefetch(href, 'viewport') : undefined;
    if (key !== undefined) inView.set(target, key);
  }
}

/** Prefetches `href` while `link` is in or near the viewport. @returns a function that stops it */
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
