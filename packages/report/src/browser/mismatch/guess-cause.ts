import type { Difference } from './compare-nodes.ts';

/** Why the two sides differ, as far as the two texts tell it. A guess: it is shown as one. */
export type Cause = 'extension' | 'time' | 'time-zone' | 'locale' | 'random' | 'one-side' | 'unknown';

/** What extensions, and translations of browsers, leave in a page. */
const ofExtension =
  /^(?:data-(?:gr-|new-gr|lt-|darkreader|1p|lastpass|bitwarden|dashlane|immersive)|grammarly|cz-shortcut|bis_|bis-|__processed|monica|crx|wxt-|plasmo|font$|deepl|translate)/;
const clock = /\d{1,2}:\d{2}|\b(?:am|pm|ago|now|today|yesterday|seconds?|minutes?|hours?)\b/i;
const date = /(?:^|[^.\d])(?:19|20)\d{2}\b|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}/;
const uuidLike = /(?:^|[^\da-z])[\da-f]{8}-?[\da-f]{4}/i;

function readNumbers(text: string): readonly string[] {
  return text.match(/\d+/g) ?? [];
}

/** Only the hour differs: a zone may be half an hour off, too, but those are few. */
function isSameMinute(server: string, browser: string): boolean {
  const [was, is] = [server, browser].map((text) => /\d{1,2}(:\d{2}(?::\d{2})?)/.exec(text)?.[1]);
  return was !== undefined && was === is;
}

/** `1,234.5` and `1.234,5`; `3/14/2026` and `14.3.2026`; `Jan 3` and `3. Jan`. */
function isSameValue(server: string, browser: string): boolean {
  const [was, is] = [readNumbers(server), readNumbers(browser)];
  if (was.length === 0) return false;
  const sort = (numbers: readonly string[]) =>
    numbers
      .map(Number)
      .toSorted((a, b) => a - b)
      .join();
  return was.join('') === is.join('') || sort(was) === sort(is);
}

function toShape(text: string): string {
  return text.replace(/\d+/g, '0');
}

export function guessCause({ kind, server, browser, name }: Difference): Cause {
  if (ofExtension.test(name) || (kind === 'element' && name.includes('-') && browser === undefined)) return 'extension';
  if (server === undefined || browser === undefined || kind === 'element') return 'one-side';
  const isTime = clock.test(server) && clock.test(browser);
  if (isSameValue(server, browser)) return 'locale';
  if (isTime && isSameMinute(server, browser)) return 'time-zone';
  if (isTime || (date.test(server) && date.test(browser))) return 'time';
  if (uuidLike.test(server) && uuidLike.test(browser)) return 'random';
  return /\d/.test(server) && toShape(server) === toShape(browser) ? 'random' : 'unknown';
}
