import { nameElementPath } from './name-element.ts';

/** What made a page be asked for ahead: somebody pointed at its link, moved the focus to it or touched it; else where the link was. */
export type FoundLink = {
  readonly trigger: 'hover' | 'focus' | 'touch' | 'viewport' | 'render';
  readonly text: string;
  /** The link and the elements around it. Behind `one of 2: ` where others lead to the same page: a guess. */
  readonly place: string;
};

const events = { pointerover: 'hover', focusin: 'focus', touchstart: 'touch' } as const;
/** Routers wait for some 100 ms before they ask, and a prefetch that the browser makes is known when it has ended. */
const askedWithinMs = 3_000;
/** Next.js asks for what comes so near (CSS pixels). */
const nearView = 200;
const textLimit = 80;
const placeLimit = 200;

/** A page's path and query, as this module names it. Empty for another origin. */
export function readPage(address: string | URL): string {
  const url = new URL(address, location.href);
  // What Next.js adds, and what React Router names its payloads.
  url.searchParams.delete('_rsc');
  const path = url.pathname.replace(/(?:\/_root|\/?_?)\.rsc$/, '').replace(/(.)\/$/, '$1') || '/';
  return url.origin === location.origin ? path + url.search : '';
}

let pointed:
  | { readonly link: HTMLAnchorElement; readonly trigger: FoundLink['trigger']; readonly at: number }
  | undefined;

let clicked: { readonly link: HTMLAnchorElement; readonly at: number } | undefined;

function findLinkOf({ target }: Event): HTMLAnchorElement | null {
  return target instanceof Element ? target.closest('a') : null;
}

export function watchLinks(): void {
  addEventListener(
    'click',
    (event) => {
      const link = findLinkOf(event);
      if (link) clicked = { link, at: performance.now() };
    },
    true,
  );
  for (const [type, trigger] of Object.entries(events)) {
    addEventListener(
      type,
      (event) => {
        const link = findLinkOf(event);
        if (link) pointed = { link, trigger, at: performance.now() };
      },
      { capture: true, passive: true },
    );
  }
}

function describe(link: Element, trigger: FoundLink['trigger']): FoundLink {
  const text = (link.getAttribute('aria-label') ?? link.textContent).trim().replace(/\s+/g, ' ').slice(0, textLimit);
  return { trigger, text, place: nameElementPath(link).slice(-placeLimit) };
}

/** To which page the link leads that somebody clicked just now. */
export function findClicked(now: number): string | undefined {
  return clicked && now - clicked.at < askedWithinMs ? readPage(clicked.link.href) : undefined;
}

/** @param at when the page was asked for. @returns undefined where no link of the document leads there */
export function findLink(page: string, at: number): FoundLink | undefined {
  if (pointed && pointed.at <= at && at - pointed.at < askedWithinMs && readPage(pointed.link.href) === page) {
    return describe(pointed.link, pointed.trigger);
  }
  // As most are written, to a place in the page as well. To resolve each address of a long list would take milliseconds.
  const written = [page, `${page}/`, location.origin + page].flatMap((href) => [
    `a[href=${JSON.stringify(href)}]`,
    `a[href^=${JSON.stringify(`${href}#`)}]`,
  ]);
  const links = document.querySelectorAll(written.join());
  const [link] = links;
  if (!link) return undefined;
  const { top, bottom } = link.getBoundingClientRect();
  const found = describe(link, bottom > -nearView && top < innerHeight + nearView ? 'viewport' : 'render');
  // Nothing says which of them the router saw.
  return links.length === 1 ? found : { ...found, place: `one of ${links.length}: ${found.place}` };
}
