import { isSecretName } from '../flight/secret-names.ts';

/**
 * An action's arguments as they may be kept: the same bytes, with the values under secret-looking names taken out.
 *
 * Two shapes come from React. A text is JSON: the array of arguments. Multipart is a form: fields that a person filled
 * in, perhaps behind a number (`1_password`), and numbered parts of JSON that refer to each other (`"$Q2"` in one is the
 * part `2`; references are hexadecimal, names of parts decimal). What a secret property refers to is taken out whole.
 *
 * In multipart the value's bytes are replaced by as many asterisks, so nothing else moves. Arguments without names
 * (`login('ann', 'hunter2')`) cannot be told apart and stay: docs/decisions/011-recorder.md.
 */
const filtered = '[Filtered]';
/** Made once: it takes as long to make as most arguments take to decode. */
const decoder = new TextDecoder();

/** In the order of React's own limits, and above them: no action gets anything deeper. */
const depthLimit = 200;

function noteReference(value: unknown, references: Set<string>): void {
  if (typeof value === 'string') {
    const id = /^\$[A-Za-z@]?([\da-f]+)(?::|$)/.exec(value)?.[1];
    if (id !== undefined) references.add(String(Number.parseInt(id, 16)));
  } else if (typeof value === 'object' && value !== null) {
    for (const child of Object.values(value)) noteReference(child, references);
  }
}

/** What stands for a secret. */
type Mask = (value: unknown) => unknown;

/** A part of a form may not become longer. In JSON an asterisk has three characters, a zero has one. */
function maskWithinLength(value: unknown): unknown {
  return (JSON.stringify(value) ?? '').length >= 3 ? '*' : 0;
}

/** A copy without the values of secret keys; `references` gets the parts that such values point at. */
function redactJson(value: unknown, references: Set<string>, mask: Mask, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > depthLimit) return mask('too deep');
  if (Array.isArray(value)) {
    const [key, secret] = value;
    // A Map arrives as pairs, an entry of a form too.
    if (value.length === 2 && typeof key === 'string' && isSecretName(key)) {
      noteReference(secret, references);
      return [key, mask(secret)];
    }
    return value.map((item) => redactJson(item, references, mask, depth + 1));
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => {
      if (!isSecretName(key)) return [key, redactJson(child, references, mask, depth + 1)];
      noteReference(child, references);
      return [key, mask(child)];
    }),
  );
}

function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return { value };
  } catch {
    // Not JSON: a person's text in a field, or a body that React refuses.
    return undefined;
  }
}

/** `[{"name":"ann","password":"x"}]` → `[{"name":"ann","password":"[Filtered]"}]`; of a text that is not JSON nothing is kept. */
function redactText(body: Uint8Array): Uint8Array {
  const parsed = parseJson(decoder.decode(body));
  return Buffer.from(
    parsed ? JSON.stringify(redactJson(parsed.value, new Set(), () => filtered)) : JSON.stringify(filtered),
  );
}

type Part = { readonly name: string; readonly isFile: boolean; readonly start: number; readonly end: number };

const headEnd = '\r\n\r\n';

/** A name as it is written: in quotes, or without. Empty when there is none that can be read. */
function readPartName(head: string): string {
  const [, quoted, plain = ''] = /;\s*name=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/i.exec(head) ?? [];
  return quoted ?? plain;
}

/**
 * The parts between a boundary's delimiters, by where their values begin and end. What is before the first one and behind the last
 * whole one belongs to no part: `read` says where it begins.
 */
function findParts(bytes: Buffer, boundary: string): { readonly parts: Part[]; readonly read: number } {
  const delimiter = `--${boundary}`;
  const parts: Part[] = [];
  let at = bytes.indexOf(delimiter);
  let read = 0;
  while (at !== -1) {
    const headStart = at + delimiter.length;
    read = headStart;
    const next = bytes.indexOf(`\r\n${delimiter}`, headStart);
    const start = bytes.indexOf(headEnd, headStart);
    if (start === -1 || next === -1) break;
    const head = bytes.toString('utf8', headStart, start);
    const name = readPartName(head);
    // An empty value's delimiter begins where its head ends.
    parts.push({ name, isFile: /;\s*filename/i.test(head), start: start + headEnd.length, end: Math.max(next, start) });
    at = next + 2;
  }
  return { parts, read };
}

function cover(bytes: Buffer, { start, end }: Pick<Part, 'start' | 'end'>): void {
  if (end > start) bytes.fill('*', start, end);
}

/** Writes `value` over a part, filled up to its length with spaces, which JSON does not mind; or covers it. */
function overwrite(bytes: Buffer, part: Part, value: unknown): void {
  const text = Buffer.from(JSON.stringify(value));
  if (text.length > part.end - part.start) return cover(bytes, part);
  bytes.fill(' ', part.start, part.end);
  text.copy(bytes, part.start);
}

function redactMultipart(body: Uint8Array, boundary: string): Uint8Array {
  const bytes = Buffer.from(body);
  const { parts, read } = findParts(bytes, boundary);
  cover(bytes, { start: 0, end: Math.max(0, bytes.indexOf(`--${boundary}`)) });
  // A form that broke off, or whose end is another one: what cannot be read as a part is not kept.
  const end = bytes.toString('latin1', read, read + 4);
  if (end !== '--\r\n' && end !== '--') cover(bytes, { start: read, end: bytes.length });
  else cover(bytes, { start: read + end.length, end: bytes.length });
  const references = new Set<string>();
  for (const part of parts) {
    if (part.name === '' || isSecretName(part.name)) {
      cover(bytes, part);
      continue;
    }
    const isNumbered = /^(?:\$ACTION_\d+:)?\d+$/.test(part.name);
    const parsed = isNumbered && !part.isFile ? parseJson(bytes.toString('utf8', part.start, part.end)) : undefined;
    if (!parsed) continue;
    const redacted = redactJson(parsed.value, references, maskWithinLength);
    if (JSON.stringify(redacted) !== JSON.stringify(parsed.value)) overwrite(bytes, part, redacted);
  }
  // What a secret refers to may stand before or after it, and refer further.
  const covered = new Set<string>();
  while (references.size > covered.size) {
    for (const name of references) {
      if (covered.has(name)) continue;
      covered.add(name);
      for (const part of parts) {
        if (part.name !== name && !part.name.startsWith(`${name}_`)) continue;
        noteReference(parseJson(bytes.toString('utf8', part.start, part.end))?.value, references);
        cover(bytes, part);
      }
    }
  }
  return bytes;
}

/** @param contentType of the request; its boundary is the one that was parsed when the body was taken */
export function redactArguments(body: Uint8Array, contentType: string): Uint8Array {
  if (!/^multipart\/form-data/i.test(contentType)) return redactText(body);
  const boundary = /boundary="?([^";]+)"?/i.exec(contentType)?.[1];
  return boundary === undefined ? Buffer.from(JSON.stringify(filtered)) : redactMultipart(body, boundary);
}
