import { type Flight, printRow, readHeader, readRow } from '#flight';

/**
 * Searches the rows' text in three forms: as it was sent, without JSON's escapes, and as the list shows a row. Upper
 * and lower case are equal. The search runs in slices, so that a search of 5 MB does not block the page.
 */
export type RowSearch = {
  /** The indexes of the rows that match, in order. The list grows during the search. */
  readonly found: number[];
  /** Searches on until the time is over. @returns whether every row has been looked at */
  readonly advance: (until: number) => boolean;
};

// A byte order mark within a row is text.
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();

const escapes: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };

function unescape(text: string): string {
  return text.replace(/\\(?:u([0-9a-f]{4})|(.))/gi, (_, code?: string, letter = '') =>
    code === undefined ? (escapes[letter] ?? letter) : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** The bytes of the first match in a row's text as sent; undefined when only the decoded text matches. */
export function findMatch(flight: Flight, row: number, query: string): { start: number; end: number } | undefined {
  const { start, end } = readHeader(flight.rows, row);
  const text = utf8.decode(flight.bytes.subarray(start, end));
  const lower = text.toLowerCase();
  const at = lower.indexOf(query.toLowerCase());
  // Some letters are longer in lower case, and a broken sequence is replaced when decoded: then positions do not agree.
  if (at < 0 || lower.length !== text.length || text.includes('\ufffd')) return undefined;
  const first = start + encoder.encode(text.slice(0, at)).length;
  return { start: first, end: first + encoder.encode(text.slice(at, at + query.length)).length };
}

/** @param query at least one character */
export function createRowSearch(flight: Flight, query: string, now = () => performance.now()): RowSearch {
  const wanted = query.toLowerCase();
  const found: number[] = [];
  let next = 0;

  function matches(row: number): boolean {
    const { start, end } = readHeader(flight.rows, row);
    const text = utf8.decode(flight.bytes.subarray(start, end));
    if (text.toLowerCase().includes(wanted)) return true;
    if (text.includes('\\') && unescape(text).toLowerCase().includes(wanted)) return true;
    return printRow(flight, readRow(flight, row)).toLowerCase().includes(wanted);
  }

  return {
    found,
    advance: (until) => {
      while (next < flight.rows.count) {
        if (matches(next)) found.push(next);
        next += 1;
        if (now() >= until) break;
      }
      return next === flight.rows.count;
    },
  };
}
