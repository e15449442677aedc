/**
 * What somebody copied may stand in something else: after a byte order mark, in base64, in a `data:` URL, between the lines
 * that `curl -v` writes. Here it is taken out, and said. Requests that a browser copies, and pages without their scripts,
 * hold no Flight: they are named, so that the right thing can be copied.
 */
export type Unwrapped =
  /** `mended` says what was done, in words after "it was": nothing, for most inputs. */
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array; readonly mended: readonly string[] }
  /** What it is instead, in words after "it is". */
  | { readonly kind: 'other'; readonly name: string };

const latin1 = new TextDecoder('latin1');

/** A head that curl writes has its lines within this; a `data:` URL its type. */
const headBytes = 64 * 1024;

const copied: readonly (readonly [RegExp, string])[] = [
  [/^(?:await\s+)?fetch\(\s*["'`]/, 'a request that was copied as fetch; copy the response'],
  [/^curl(?:\.exe)?\s+\S/, 'a request that was copied as cURL; run it with --output, or copy the response'],
  [/^(?:\$session\s*=|Invoke-WebRequest\s)/, 'a request that was copied as PowerShell; copy the response'],
  [
    /^(?:From: <Saved by|MIME-Version: 1\.0\r?\n|Content-Type: multipart\/related)/i,
    'a page saved as MHTML, which leaves its scripts out, and the Flight in them; save the response itself',
  ],
];

const onlyHead =
  'what curl -v says of a response, without its body; send both to one file (> file 2>&1), or let curl write it (--output)';

/** Takes an input out of what it stands in. Never throws; what is not known comes back as it is. */
export function unwrap(input: Uint8Array): Unwrapped {
  const { bytes, mended } = takeOffSpace(input);
  const head = latin1.decode(bytes.subarray(0, headBytes));
  const name = copied.find(([pattern]) => pattern.test(head))?.[1];
  if (name !== undefined) return { kind: 'other', name };
  const inner = readDataUrl(head, bytes) ?? readVerboseCurl(head, bytes) ?? readBase64(bytes);
  if (inner?.bytes.length === 0 && /^< HTTP\//m.test(head)) return { kind: 'other', name: onlyHead };
  return inner ? { kind: 'bytes', bytes: inner.bytes, mended: [inner.from] } : { kind: 'bytes', bytes, mended };
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

/** Takes a byte order mark and white space off the beginning. `mended` says what was taken off. */
export function takeOffSpace(bytes: Uint8Array): { bytes: Uint8Array; mended: string[] } {
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const from = hasMark ? 3 : 0;
  let at = from;
  while (isSpace(bytes[at])) at++;
  const mended: string[] = [];
  if (hasMark) mended.push('after a byte order mark');
  if (at > from) mended.push('after white space');
  return { bytes: bytes.subarray(at), mended };
}

type Inner = { readonly bytes: Uint8Array; readonly from: string };

/** `data:text/x-component;base64,…`, or with percent signs. */
function readDataUrl(head: string, bytes: Uint8Array): Inner | undefined {
  const type = /^data:([^,\s]{0,1000}),/i.exec(head);
  if (!type) return undefined;
  const text = latin1.decode(bytes.subarray(type[0].length)).trimEnd();
  const from = 'in a data: URL';
  const decoded = /;base64$/i.test(type[1] ?? '') ? decodeBase64(unescapePercent(text)) : unescapePercent(text);
  return decoded === undefined ? undefined : { bytes: toBytes(decoded), from };
}

function unescapePercent(text: string): string {
  return text.replaceAll(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** Base64 has no colon, and each row of Flight has one. Shorter text may be a word. */
const minBase64 = 16;

function readBase64(bytes: Uint8Array): Inner | undefined {
  const isLikely = bytes.length >= minBase64 && /^[\w+/\s-]*={0,2}\s*$/.test(latin1.decode(bytes.subarray(0, 256)));
  if (!isLikely) return undefined;
  const decoded = decodeBase64(latin1.decode(bytes));
  return decoded === undefined ? undefined : { bytes: toBytes(decoded), from: 'in base64' };
}

/** One character for each byte; undefined for what is no base64. */
function decodeBase64(text: string): string | undefined {
  try {
    return atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  } catch {
    // It only began like base64.
    return undefined;
  }
}

function toBytes(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index);
  return bytes;
}

/**
 * What curl says of itself, `*`, `>` and `<` before each line, and how much came: `{ [512 bytes data]`. Without `-s` also its meter,
 * which is written over with a carriage return and may stand before any of these.
 */
const verboseStart = /^(?:\* |> \S+ \S+ HTTP\/|< HTTP\/|% Total +% Received)/;
const verboseLine =
  /^(?:\r[ \d.:kMGTP-]{60,90})*(?:\r?\n|(?:[*<>] |[{}] \[|[ \d%][^\n]{0,80}(?:% Received|Dload|--:--:--))[^\n]*\n)/;
const verboseEnd =
  /(\r?\n)?(?:\r[ \d.:kMGTP-]{60,90})*\n?\* (?:Connection #\d+ to host|Closing connection|shutting down connection)[^\n]*\n?(?:\*[^\n]*\n?)*$/;

/** More than curl writes after a body. */
const tailBytes = 4096;

function readVerboseCurl(head: string, bytes: Uint8Array): Inner | undefined {
  if (!verboseStart.test(head)) return undefined;
  let at = 0;
  for (let line = verboseLine.exec(head); line; line = verboseLine.exec(head.slice(at))) at += line[0].length;
  const body = bytes.subarray(at);
  const tail = latin1.decode(body.subarray(Math.max(body.length - tailBytes, 0)));
  const end = verboseEnd.exec(tail);
  // A payload's last line end belongs to it.
  const cut = end ? tail.length - end.index - (end[1]?.length ?? 0) : 0;
  return { bytes: body.subarray(0, body.length - cut), from: 'in the output of curl -v' };
}
