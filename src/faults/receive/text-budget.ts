import 'server-only';

import { isSpelled } from '#src/server/http/decode-spelling.ts';

import { scrubPath, scrubText } from '../scrubbing/scrub.ts';
import { boundText } from './untrusted-json.ts';

/**
 * How much text of one report is scrubbed and kept. Each field has its own limit, but a hundred breadcrumbs with twenty
 * details each make a megabyte within those limits. Scrubbing costs up to 90 ns per character (measured on hostile text
 * for every rule), so this many characters take the serving thread 12 ms at most. With reading the JSON
 * (untrusted-json.ts), a report takes less than 25 ms, which is what rendering a large page takes. An ordinary report
 * has some 20,000 characters.
 */
const charactersPerReport = 128 * 1024;

/** Of a text with escapes, what they spell is scrubbed, too. */
const spelledPasses = 3;

/** Marks where a text was cut because the budget was used up. */
const cutMark = '[cut]';

export type TextBudget = {
  /** The text, scrubbed and then cut to `limit` bytes in a row. Replacements do not make it longer than the limit. */
  readonly scrub: (text: string, limit: number) => string;
  /** The same for the path of a URL. */
  readonly scrubPath: (url: string, limit: number) => string;
  readonly isUsedUp: () => boolean;
};

/** @param scrubAll by default for texts of strangers; `scrubSecrets` for those of a server */
export function createTextBudget(scrubAll: (text: string) => string = scrubText): TextBudget {
  let left = charactersPerReport;
  function spend(text: string, limit: number, scrub: (text: string) => string): string {
    const wanted = text.slice(0, limit);
    const passes = isSpelled(wanted) ? spelledPasses : 1;
    const taken = wanted.slice(0, Math.ceil(left / passes));
    left = Math.max(0, left - taken.length * passes);
    const scrubbed = boundText(scrub(taken), limit);
    return taken.length < wanted.length ? scrubbed + cutMark : scrubbed;
  }
  return {
    scrub: (text, limit) => spend(text, limit, scrubAll),
    scrubPath: (url, limit) => spend(url, limit, scrubPath),
    isUsedUp: () => left === 0,
  };
}
