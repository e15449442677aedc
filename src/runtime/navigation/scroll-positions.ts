/**
 * Where each entry of the tab's history was scrolled to. The browser's own memory does not help here: it restores the
 * position when the address changes, and the page of that address comes later. Waku then scrolls every changed page to
 * its top.
 *
 * A position belongs to the entry on the screen. From the moment when the address changes until that entry's page is
 * committed, the old page is still shown, and no position is noted.
 */
/** Beyond this many pages in one tab, the positions of the oldest are forgotten. */
const positionsKept = 100;
/** How long a page that is still arriving may take to become tall enough. */
const patienceMs = 3_000;

const positions = new Map<string, number>();
let shown = '';
let awaited: number | undefined;
let settled: object | undefined;
let stopWaiting: () => void = () => undefined;

function readEntryKey(): string {
  return window.navigation?.currentEntry?.key ?? window.location.href;
}

function note(): void {
  if (awaited !== undefined) return;
  positions.delete(shown);
  positions.set(shown, window.scrollY);
  const [oldest] = positions.keys();
  if (positions.size > positionsKept && oldest !== undefined) positions.delete(oldest);
}

function scrollTo(top: number): void {
  stopWaiting();
  const observer = new ResizeObserver(scroll);
  const patience = setTimeout(() => stopWaiting(), patienceMs);
  stopWaiting = () => {
    clearTimeout(patience);
    observer.disconnect();
  };
  function scroll(): void {
    window.scrollTo({ top, behavior: 'instant' });
    if (Math.abs(window.scrollY - top) < 2) stopWaiting();
  }
  observer.observe(document.body);
  scroll();
}

/** The visitor scrolls, so the old position is not wanted any more. */
function yieldToVisitor(): void {
  awaited = undefined;
  stopWaiting();
}

/** A new entry with a place in it is a link on the page that is shown: the browser itself goes there. */
function awaitPage(): void {
  const top = positions.get(readEntryKey());
  if (top === undefined && window.location.hash) shown = readEntryKey();
  else awaited = top ?? 0;
}

/** The page made of `elements` is on the screen. Called after the router has scrolled it to its top. */
export function settleScroll(elements: object): void {
  if (elements === settled) return;
  settled = elements;
  const top = awaited;
  awaited = undefined;
  shown = readEntryKey();
  if (top !== undefined) scrollTo(top);
}

/** @returns ends it */
export function rememberScroll(): () => void {
  const lifetime = new AbortController();
  const options = { signal: lifetime.signal, passive: true };
  function setRestoration(mode: ScrollRestoration): () => void {
    return () => (window.history.scrollRestoration = mode);
  }
  shown = readEntryKey();
  setRestoration('manual')();
  window.addEventListener('scroll', note, options);
  window.addEventListener('popstate', awaitPage, options);
  for (const type of ['wheel', 'touchmove', 'keydown'] as const) window.addEventListener(type, yieldToVisitor, options);
  // When a document is loaded again, the browser restores its position.
  window.addEventListener('pagehide', setRestoration('auto'), options);
  window.addEventListener('pageshow', setRestoration('manual'), options);
  return () => lifetime.abort();
}
