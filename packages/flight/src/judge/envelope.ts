import { findBoundary, readMultipart, type ReplyPart } from '../multipart.ts';
import type { Breaches } from './forgery.ts';

/**
 * The form data around the parts, as browsers and other clients write it. A server's parser takes more than that (other line ends,
 * text before the first part, headers that change how a part is read), and then reads other parts than we do.
 */
const utf8 = new TextDecoder();
/** Some clients say how long a part is. */
const header =
  /^(?:content-disposition: form-data; name="[^"\r\n]*"(?:; filename="[^"\r\n]*")?|content-type: ?[^\r\n]*|content-length: ?\d+)$/i;
const boundaryOf = /^multipart\/form-data;\s*boundary="?([^\s";][^";]*)"?$/i;

/** What a multipart body has been cut into. */
export type OpenedEnvelope = { readonly parts: readonly ReplyPart[]; readonly isWhole: boolean };

function indexOf(bytes: Uint8Array, text: string, from: number): number {
  const first = text.charCodeAt(0);
  for (let at = bytes.indexOf(first, from); at >= 0; at = bytes.indexOf(first, at + 1)) {
    let index = 1;
    while (index < text.length && bytes[at + index] === text.charCodeAt(index)) index += 1;
    if (index === text.length) return at;
  }
  return -1;
}

function checkHeaders(head: string, breaches: Breaches): void {
  const lines = head.split('\r\n');
  const names = new Set(lines.map((line) => line.slice(0, Math.max(0, line.indexOf(':'))).toLowerCase()));
  if (names.size < lines.length || !names.has('content-disposition') || !lines.every((line) => header.test(line))) {
    breaches.add('envelope', '', 'a part has headers that no client writes');
  }
}

/** The end of the last part that is whole, and whether the body ends there. */
function walk(bytes: Uint8Array, boundary: string, breaches: Breaches): boolean {
  const delimiter = `\r\n--${boundary}`;
  let at = boundary.length + 2;
  for (;;) {
    if (bytes[at] === 0x2d && bytes[at + 1] === 0x2d) {
      const rest = utf8.decode(bytes.subarray(at + 2, at + 6));
      if (!'\r\n'.startsWith(rest)) breaches.add('envelope', '', 'something follows the last part');
      return true;
    }
    if (at >= bytes.length) return false;
    if (bytes[at] !== 0x0d || bytes[at + 1] !== 0x0a) {
      if (at + 1 < bytes.length) breaches.add('envelope', '', 'a line does not end as clients end it');
      return false;
    }
    const headEnd = indexOf(bytes, '\r\n\r\n', at);
    if (headEnd < 0) return false;
    checkHeaders(utf8.decode(bytes.subarray(at + 2, headEnd)), breaches);
    const end = indexOf(bytes, delimiter, headEnd + 2);
    if (end < 0 || breaches.isFull()) return false;
    at = end + delimiter.length;
  }
}

/**
 * Opens a body of form data. Undefined, with a breach, when it does not begin as one.
 * @param contentType of the request; undefined where nobody knows it
 */
export function openEnvelope(
  bytes: Uint8Array,
  contentType: string | undefined,
  breaches: Breaches,
): OpenedEnvelope | undefined {
  const boundary = findBoundary(bytes);
  const named = contentType === undefined ? boundary : boundaryOf.exec(contentType.trim())?.[1];
  if (boundary === undefined || named !== boundary) {
    breaches.add('envelope', '', 'it does not begin with the boundary of its content type');
    return undefined;
  }
  const isWhole = walk(bytes, boundary, breaches);
  return { parts: readMultipart(bytes, boundary), isWhole };
}
