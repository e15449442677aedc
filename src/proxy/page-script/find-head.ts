/**
 * Finds where a page's `<head>` has begun, in its bytes as they come. Only what may stand before a head may: `<head>` in a comment, in a
 * script or in a piece of a page is none. Every encoding that the web has but UTF-16 writes these characters as ASCII does.
 */

/** Comments and attributes before a head are short. */
const searchedBytes = 16 * 1024;
/** Of an app that sends its page byte by byte, each look would be at all that came. Most pages have their head in the first piece. */
const mostLooks = 64;
const attributes = String.raw`(?:\s(?:[^"'>]|"[^"]*"|'[^']*')*)?`;
const comment = String.raw`<!--(?:[^-]|-(?!->))*-->`;
const before = new RegExp(`^(?:\\u00ef\\u00bb\\u00bf)?(?:\\s|${comment}|<!doctype[^>]*>|<html${attributes}>)*`, 'i');
const head = new RegExp(`^<head${attributes}>`, 'i');
/** What the next piece may still complete, by its first characters. */
const begun = /^(?:$|\u00ef\u00bb?$|<!|<(?:h(?:t(?:ml?)?|e(?:ad?)?)?)?$|<(?:html|head)\s)/i;
const begunLength = 8;

/**
 * @param bytes the next of the page
 * @returns behind which of them the head has begun; `more`: perhaps later; `none`: this is no page with a head
 */
export type FindHead = (bytes: Uint8Array) => number | 'more' | 'none';

export function createHeadFinder(): FindHead {
  let seen = '';
  /** Where in it what has not ended yet begins. */
  let start = 0;
  /** It is an element or a comment: whatever it is, it ends with `>`. */
  let isOpen = false;
  let looks = 0;

  return function findHead(bytes) {
    const known = seen.length;
    const piece = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, searchedBytes));
    seen += piece.toString('latin1');
    const isFull = seen.length >= searchedBytes || looks >= mostLooks;
    if (isOpen && known - start >= begunLength && !piece.includes('>')) return isFull ? 'none' : 'more';
    if (isOpen) looks += 1;
    start += before.exec(seen.slice(start))?.[0].length ?? 0;
    const found = head.exec(seen.slice(start));
    if (found) return start + found[0].length - known;
    isOpen = seen[start] === '<';
    return !isFull && begun.test(seen.slice(start, start + begunLength)) ? 'more' : 'none';
  };
}
