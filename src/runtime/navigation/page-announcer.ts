let announcedPath: string | undefined;

/**
 * Browsers announce a new document and begin at its top. For a navigation within a document they do neither. So this
 * announces the page's title in `region`, and moves a focus that was lost with the old page to the new page's content.
 * A link that is still there, for example in the header, keeps the focus.
 */
export function announcePage(region: HTMLElement | null, path: string): void {
  const isFirst = announcedPath === undefined;
  const isSame = announcedPath === path;
  announcedPath = path;
  if (isFirst || isSame || !region) return;
  region.textContent = document.title;
  const isLost = !document.activeElement || document.activeElement === document.body;
  if (isLost) document.querySelector('main')?.focus({ preventScroll: true });
}
