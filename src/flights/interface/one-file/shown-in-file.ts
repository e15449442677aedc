import type { OneFile } from '#flight';
import { formatDiffView, parseDiffView, type DiffView } from '#viewer/diff/diff-view.ts';

/**
 * What of a file is shown, as its address says it after `#`: `#show=2` is its second flight, `#show=c1` its first comparison,
 * `#show=all` the list. The viewer writes its own part behind it. A file on a disk has no address but that.
 */
export type ShownInFile =
  | { readonly kind: 'list' }
  | { readonly kind: 'flight'; readonly index: number }
  | { readonly kind: 'comparison'; readonly index: number; readonly view: DiffView };

type Held = Pick<OneFile, 'flights' | 'comparisons'>;

/** What the file was saved for. */
function readFirst({ flights, comparisons }: Held): ShownInFile {
  if (comparisons.length === 1) return { kind: 'comparison', index: 0, view: parseDiffView('') };
  return comparisons.length === 0 && flights.length === 1 ? { kind: 'flight', index: 0 } : { kind: 'list' };
}

/** What cannot be read, or is not in the file, is what it was saved for. */
export function parseShownInFile(held: Held, hash: string): ShownInFile {
  const query = hash.replace(/^#/, '');
  const show = new URLSearchParams(query).get('show') ?? '';
  if (show === 'all') return { kind: 'list' };
  const [, letter, digits] = /^(c?)(\d{1,6})$/.exec(show) ?? [];
  const index = Number(digits) - 1;
  if (letter === '' && held.flights[index]) return { kind: 'flight', index };
  if (letter === 'c' && held.comparisons[index]) return { kind: 'comparison', index, view: parseDiffView(query) };
  return readFirst(held);
}

/** The part that the viewer's own stands behind; nothing where there is but one thing to show. */
export function formatShownInFile(held: Held, shown: ShownInFile): string {
  switch (shown.kind) {
    case 'list':
      return 'show=all';
    case 'flight':
      return held.flights.length === 1 && held.comparisons.length === 0 ? '' : `show=${shown.index + 1}`;
    case 'comparison': {
      const view = formatDiffView(shown.view).replace('?', '&');
      return `show=c${shown.index + 1}${view}`;
    }
  }
}
