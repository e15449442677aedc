/**
 * `curl -i` and its like save a response with its status line and headers before the body, and those of the redirects it
 * followed before these. Where the body begins is all that is read of them.
 */
const statusLine = /^HTTP\/\d(?:\.\d)? \d{3}[^\n]{0,1000}\n/;

/** More than any server accepts for itself: Node's limit is 16 KiB. */
const maxHeadBytes = 64 * 1024;

/** curl follows 50 redirects at most, browsers 20. */
const maxHeads = 50;

const latin1 = new TextDecoder('latin1');

/** The first status line: `HTTP/1.1 307 Temporary Redirect`. */
export function readStatusLine(bytes: Uint8Array): string {
  const line = statusLine.exec(latin1.decode(bytes.subarray(0, maxHeadBytes)))?.[0] ?? '';
  return line.trim();
}

/** The offset of the body, which is the length when there is none; undefined for what begins with no status line. */
export function findHttpBody(bytes: Uint8Array): number | undefined {
  let at = 0;
  for (let heads = 0; heads < maxHeads; heads++) {
    const head = latin1.decode(bytes.subarray(at, at + maxHeadBytes));
    if (!statusLine.test(head)) break;
    const end = /\r?\n\r?\n/.exec(head);
    if (!end) return bytes.length;
    at += end.index + end[0].length;
  }
  return at === 0 ? undefined : at;
}
