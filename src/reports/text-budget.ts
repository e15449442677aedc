import 'server-only';

import { scrubPath, scrubText } from './scrub.ts';
import { boundText } from './untrusted-json.ts';

/**
 * How much text of one report is scrubbed and kept. Each field has a limit of its own, but a hundred breadcrumbs with
 * twenty details each bring a megabyte within those. Scrubbing costs up to 90 ns a character (measured on hostile text of
 * every rule), so this many hold the serving thread for 12 ms at most; with reading the JSON (untrusted-json.ts) a report
 * stays below 25 ms, which is what rendering a large page takes. An ordinary report has some 20,000.
 */
const charactersPerReport = 128 * 1024;

/** Stands where the text ends that the budget had room for. */
export const cutMark = '[cut]';

export type TextBudget = {
  /** Scrubbed, and at most `limit` bytes in a row: what is replaced does not make it longer. */
  readonly scrub: (text: string, limit: number) => string;
  /** The same for the path of a URL. */
  readonly scrubPath: (url: string, limit: number) => string;
  readonly isUsedUp: () => boolean;
};

export function createTextBudget(): TextBudget {
  let left = charactersPerReport;
  function spend(text: string, limit: number, scrub: (text: string) => string): string {
    const wanted = text.slice(0, limit);
    const taken = wanted.slice(0, left);
    left -= taken.length;
    const scrubbed = boundText(scrub(taken), limit);
    return taken.length < wanted.length ? scrubbed + cutMark : scrubbed;
  }
  return {
    scrub: (text, limit) => spend(text, limit, scrubText),
    scrubPath: (url, limit) => spend(url, limit, scrubPath),
    isUsedUp: () => left === 0,
  };
}
