let announcedPath: string | undefined;

/**
 * A new document is announced by the browser and begins at its top; a navigation within one is neither. So the page's
 * title is said in `region`, and a focus that went away with the old page goes to the new one's content. A link that is
 * still there, in the header say, keeps it.
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
