/**
 * Finds where a page's `<head>` has begun, in its bytes as they come. Only what may stand before a head may: `<head>` in a comment, in a
 * script or in a piece of a page is none. Every encoding that the web has but UTF-16 writes these characters as ASCII does.
 */

/** Comments and attributes before a head are short. */
const searchedBytes = 16 * 1024;
const attributes = String.raw`(?:\s(?:[^"'>]|"[^"]*"|'[^']*')*)?`;
const comment = String.raw`<!--(?:[^-]|-(?!->))*-->`;
const before = new RegExp(`^(?:\\u00ef\\u00bb\\u00bf)?(?:\\s|${comment}|<!doctype[^>]*>|<html${attributes}>)*`, 'i');
const head = new RegExp(`^<head${attributes}>`, 'i');
/** What the next piece may still complete. */
const begun = /^(?:$|\u00ef\u00bb?$|<!|<(?:h(?:t(?:ml?)?|e(?:ad?)?)?)?$|<(?:html|head)\s)/i;

/**
 * @param bytes the next of the page
 * @returns behind which of them the head has begun; `more`: perhaps later; `none`: this is no page with a head
 */
export type FindHead = (bytes: Uint8Array) => number | 'more' | 'none';

export function createHeadFinder(): FindHead {
  let seen = '';
  return function findHead(bytes) {
    const known = seen.length;
    seen += Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, searchedBytes)).toString('latin1');
    const start = before.exec(seen)?.[0].length ?? 0;
    const rest = seen.slice(start);
    const found = head.exec(rest);
    if (found) return start + found[0].length - known;
    return seen.length < searchedBytes && begun.test(rest) ? 'more' : 'none';
  };
}
