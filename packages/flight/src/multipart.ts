/**
 * The body of a `multipart/form-data` request, cut into its parts (RFC 7578). Only what browsers write: no nested parts, no
 * transfer encodings. A body that ends early gives the parts that are whole.
 */
export type ReplyPart = { name: string; value: string | ReplyFile };
export type ReplyFile = { type: string; filename: string; data: Uint8Array };

const encoder = new TextEncoder();
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Headers of one part: a name and a file name, each bounded by the browser's own limits, and a type. */
const maxHeaderBytes = 16 * 1024;

function indexOfBytes(bytes: Uint8Array, pattern: Uint8Array, from: number): number {
  const first = pattern[0] ?? 0;
  for (let at = bytes.indexOf(first, from); at >= 0; at = bytes.indexOf(first, at + 1)) {
    let i = 1;
    while (i < pattern.length && bytes[at + i] === pattern[i]) i++;
    if (i === pattern.length) return at;
  }
  return -1;
}

/** Browsers write `"` as `%22` and line ends as `%0D%0A` in names, and leave a percent sign as it is. */
function unquote(text: string): string {
  return text.replaceAll(/%(22|0D|0A)/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

function readHeaders(text: string): { name: string; filename: string | undefined; type: string } | undefined {
  const name = /^content-disposition:[^\r\n]*?[;\s]name="([^"\r\n]*)"/im.exec(text)?.[1];
  const filename = /^content-disposition:[^\r\n]*?[;\s]filename="([^"\r\n]*)"/im.exec(text)?.[1];
  const type = /^content-type:[ \t]*([^\r\n]*)/im.exec(text)?.[1] ?? 'text/plain';
  return name === undefined ? undefined : { name: unquote(name), filename: filename && unquote(filename), type };
}

function readPart(bytes: Uint8Array): ReplyPart | undefined {
  const end = indexOfBytes(bytes.subarray(0, maxHeaderBytes), encoder.encode('\r\n\r\n'), 0);
  if (end < 0) return undefined;
  const headers = readHeaders(`${utf8.decode(bytes.subarray(0, end))}\r\n`);
  if (!headers) return undefined;
  const data = bytes.subarray(end + 4);
  if (headers.filename === undefined) return { name: headers.name, value: utf8.decode(data) };
  return { name: headers.name, value: { type: headers.type, filename: headers.filename, data } };
}

/** The boundary of a body, which is its first line; undefined when it is no multipart body. */
export function findBoundary(bytes: Uint8Array): string | undefined {
  const head = utf8.decode(bytes.subarray(0, 256));
  return /^--([\w'()+,\-./:=? ]{1,70})\r\ncontent-disposition:/i.exec(head)?.[1];
}

/** The parts of a body whose boundary `findBoundary` found. Never throws. */
export function readMultipart(bytes: Uint8Array, boundary: string): ReplyPart[] {
  const delimiter = encoder.encode(`\r\n--${boundary}`);
  const parts: ReplyPart[] = [];
  // The first delimiter has no line end before it.
  let start = boundary.length + 2;
  while (bytes[start] === 0x0d) {
    const end = indexOfBytes(bytes, delimiter, start);
    if (end < 0) break;
    const part = readPart(bytes.subarray(start + 2, end));
    if (part) parts.push(part);
    start = end + delimiter.length;
  }
  return parts;
}

/** A request's body as its content says: form data in its parts, anything else as text. Never throws. */
export function readReplyBody(bytes: Uint8Array): string | ReplyPart[] {
  const boundary = findBoundary(bytes);
  return boundary === undefined ? utf8.decode(bytes) : readMultipart(bytes, boundary);
}
