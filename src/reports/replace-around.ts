import 'server-only';

/**
 * Replaces what stands around a mark, as an e-mail address stands around its `@`.
 *
 * An expression that begins with what may be anything (`[\w.+-]{1,64}@`) is tried at every character, and looks as far
 * ahead each time: a report of 980 KB held the process for half a second. The mark is rare, and found by a plain search.
 * Left of it the text is read back no further than the mark before, and right of it as far as `after` goes, which must
 * not read beyond the next mark. So each character is read a few times, whatever the text is.
 */
export type Around = {
  readonly mark: string;
  /** Whether a character may stand before the mark. */
  readonly isBefore: (character: string) => boolean;
  /** How many of them at most. */
  readonly beforeLimit: number;
  /** Whether a match may begin at `index`. */
  readonly mayBegin: (text: string, index: number) => boolean;
  /** Sticky: what must follow the mark. */
  readonly after: RegExp;
  /** What takes the place of a match that had `head` before the mark. */
  readonly replacement: (head: string) => string;
};

/** Where the longest match before `markAt` begins, and not before `from`; `markAt` when there is none. */
function findStart(text: string, markAt: number, from: number, around: Around): number {
  const least = Math.max(from, markAt - around.beforeLimit);
  let start = markAt;
  while (start > least && around.isBefore(text.charAt(start - 1))) start -= 1;
  while (start < markAt && !around.mayBegin(text, start)) start += 1;
  return start;
}

export function replaceAround(text: string, around: Around): string {
  const { mark, after } = around;
  let result = '';
  let done = 0;
  for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, at + mark.length)) {
    const start = findStart(text, at, done, around);
    if (start === at) continue;
    after.lastIndex = at + mark.length;
    if (!after.test(text)) continue;
    result += text.slice(done, start) + around.replacement(text.slice(start, at));
    done = after.lastIndex;
  }
  return result + text.slice(done);
}
