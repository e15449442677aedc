import { decodePath } from '#src/server/http/addresses.ts';
import { formatDiffView, parseDiffView, type DiffView } from '#viewer/diff/diff-view.ts';

/** A flight of an opened file: the file's id, and which of its flights. */
export type Chosen = { readonly file: string; readonly flight: number };

/**
 * What the page shows, as its address says it. Each has an address of its own, so that going back leads to what was shown
 * before: `?file=k3x9`, `?file=k3x9&flight=2`, `?before=k3x9.0&after=b7q2.1`. The files are this browser's alone, so such an
 * address means nothing elsewhere.
 */
export type Shown =
  | { readonly kind: 'start' }
  /** `flight` is undefined for the list of a file's flights; the only one of a file is opened at once. */
  | { readonly kind: 'file'; readonly file: string; readonly flight: number | undefined }
  | { readonly kind: 'compare'; readonly before: Chosen; readonly after: Chosen; readonly view: DiffView };

const start: Shown = { kind: 'start' };
const idPattern = /^[0-9a-z]{4,12}$/;
const numberPattern = /^\d{1,6}$/;

function parseChosen(text: string | null): Chosen | undefined {
  const [, file = '', flight = ''] = /^([0-9a-z]{4,12})\.(\d{1,6})$/.exec(text ?? '') ?? [];
  return file === '' ? undefined : { file, flight: Number(flight) };
}

/** What cannot be read is the start. */
export function parseDecodeQuery(query: string): Shown {
  const parameters = new URLSearchParams(query);
  const before = parseChosen(parameters.get('before'));
  const after = parseChosen(parameters.get('after'));
  if (before && after) return { kind: 'compare', before, after, view: parseDiffView(query) };
  const file = parameters.get('file') ?? '';
  if (!idPattern.test(file)) return start;
  const flight = parameters.get('flight') ?? '';
  return { kind: 'file', file, flight: numberPattern.test(flight) ? Number(flight) : undefined };
}

function formatChosen({ file, flight }: Chosen): string {
  return `${file}.${flight}`;
}

export function toDecodeAddress(shown: Shown): string {
  switch (shown.kind) {
    case 'start':
      return decodePath;
    case 'file':
      return `${decodePath}?file=${shown.file}${shown.flight === undefined ? '' : `&flight=${shown.flight}`}`;
    case 'compare': {
      const view = formatDiffView(shown.view).replace('?', '&');
      return `${decodePath}?before=${formatChosen(shown.before)}&after=${formatChosen(shown.after)}${view}`;
    }
  }
}

/** A new file's id: short, because it stands in addresses, and random, because two tabs open files at once. */
export function makeFileId(): string {
  const random = crypto.getRandomValues(new Uint32Array(2));
  return Array.from(random, (word) => word.toString(36))
    .join('')
    .slice(0, 10)
    .padEnd(4, '0');
}
