import 'server-only';

/**
 * Replaces the text around a mark, for example an e-mail address around its `@`.
 *
 * An expression that may begin with any character (`[\w.+-]{1,64}@`) is tried at every character, and looks ahead each
 * time: a report of 980 KB blocked the process for half a second. The mark is rare, and a plain search finds it. From
 * the mark, the text is read back to the previous mark at most. To the right it is read as far as `after` goes, which
 * must not read beyond the next mark. So each character is read a few times, whatever the text is.
 */
export type Around = {
  readonly mark: string;
  /** Whether a character may stand before the mark. */
  readonly isBefore: (character: string) => boolean;
  /** How many such characters at most. */
  readonly beforeLimit: number;
  /** Whether a match may begin at `index`. */
  readonly mayBegin: (text: string, index: number) => boolean;
  /** A sticky expression: what must follow the mark. */
  readonly after: RegExp;
  /** Replaces a match that had `head` before the mark. */
  readonly replacement: (head: string) => string;
};

/**
 * The index where the longest match before `markAt` begins, not before `from`. It is `markAt` when there is no match.
 */
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
