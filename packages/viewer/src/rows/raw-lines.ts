import type { Token } from '#flight';

/**
 * A row's bytes as lines of equal width. Each line is made when it is drawn. In the text view, a character belongs to
 * the line of its first byte. Control characters are shown by their picture (U+2400), one column wide. So a line never
 * wraps, and nothing that was sent can move the cursor or change the direction of the text around it.
 */
export type RawSpan = {
  readonly text: string;
  /** `head` is the row's own id, tag and length, and the newline that ends it. */
  readonly tone: 'head' | 'body' | 'escape';
  readonly isLit: boolean;
  /** What it is a piece of; undefined for punctuation, and where nobody asked. */
  readonly token?: Token;
};

export type RawRange = {
  readonly start: number;
  readonly end: number;
  /** Where the row's data is. The bytes around it are framing. */
  readonly payloadStart: number;
  readonly payloadEnd: number;
  readonly lit: { readonly start: number; readonly end: number } | undefined;
};

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * A character that cannot be shown as it is: a control character, an invisible mark, or a mark that changes the
 * direction of writing.
 */
function isUnprintable(code: number): boolean {
  if (code < 0x20 || (code >= 0x7f && code < 0xa0) || code === 0xad || code === 0xfeff) return true;
  return (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f);
}

function toPicture(character: string): string {
  const code = character.charCodeAt(0);
  // The usual ones get signs that are readable at any size.
  if (code === 0x0a) return '↵';
  if (code === 0x09) return '⇥';
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return '\ufffd';
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/**
 * The next index at or after `at` where a character begins. For a broken sequence, it skips no more bytes than one
 * character has.
 */
function toCharacter(bytes: Uint8Array, at: number, end: number): number {
  let place = at;
  while (place < end && place < at + 3 && isContinuation(bytes[place])) place++;
  return place;
}

type Look = Omit<RawSpan, 'text'>;

function splitEscapes(text: string, look: Look): RawSpan[] {
  const spans: RawSpan[] = [];
  let plain = '';
  for (const character of text) {
    if (!isUnprintable(character.charCodeAt(0))) {
      plain += character;
      continue;
    }
    if (plain) spans.push({ ...look, text: plain });
    plain = '';
    spans.push({ ...look, text: toPicture(character), tone: 'escape' });
  }
  if (plain) spans.push({ ...look, text: plain });
  return spans;
}

/** Cuts `[start, end)` where the framing, the lit range or a token begins or ends. */
function cutRange(
  start: number,
  end: number,
  { payloadStart, payloadEnd, lit }: RawRange,
  tokens: readonly Token[],
): number[] {
  const ofTokens = tokens.flatMap((token) => [token.start, token.end]);
  const cuts = [start, payloadStart, payloadEnd, lit?.start ?? start, lit?.end ?? end, end, ...ofTokens];
  const inside = cuts.filter((cut) => cut >= start && cut <= end).sort((a, b) => a - b);
  return inside.filter((cut, index) => cut !== inside[index - 1]);
}

function forEachPiece(
  start: number,
  end: number,
  range: RawRange,
  tokens: readonly Token[],
  onPiece: (from: number, to: number, look: Look) => void,
): void {
  const cuts = cutRange(start, end, range, tokens);
  let next = 0;
  for (let index = 0; index + 1 < cuts.length; index++) {
    const from = cuts[index] ?? start;
    const to = cuts[index + 1] ?? end;
    const tone = from >= range.payloadStart && to <= range.payloadEnd ? 'body' : 'head';
    const isLit = range.lit !== undefined && from >= range.lit.start && to <= range.lit.end;
    while ((tokens[next]?.end ?? Infinity) <= from) next += 1;
    const token = tokens[next];
    onPiece(from, to, token && token.start <= from ? { tone, isLit, token } : { tone, isLit });
  }
}

export function countRawLines({ start, end }: RawRange, width: number): number {
  return Math.max(1, Math.ceil((end - start) / width));
}

/** The tokens that have bytes in a range. */
export type TokenReader = (from: number, to: number) => readonly Token[];

/** Line `line` of the text view, `width` bytes wide. */
export function readTextLine(
  bytes: Uint8Array,
  range: RawRange,
  line: number,
  width: number,
  readTokens: TokenReader = () => [],
): RawSpan[] {
  const start = toCharacter(bytes, range.start + line * width, range.end);
  const end = toCharacter(bytes, Math.min(range.start + (line + 1) * width, range.end), range.end);
  const spans: RawSpan[] = [];
  forEachPiece(start, end, range, readTokens(start, end), (from, to, look) => {
    spans.push(...splitEscapes(utf8.decode(bytes.subarray(from, to)), look));
  });
  return spans;
}

export type HexLine = { readonly hex: readonly RawSpan[]; readonly text: string };

/** Line `line` of the hex view: `width` bytes, and the same bytes as ASCII. */
export function readHexLine(bytes: Uint8Array, range: RawRange, line: number, width: number): HexLine {
  const start = range.start + line * width;
  const end = Math.min(start + width, range.end);
  const hex: RawSpan[] = [];
  forEachPiece(start, end, range, [], (from, to, look) => {
    const text = Array.from(bytes.subarray(from, to), (byte) => byte.toString(16).padStart(2, '0')).join(' ');
    hex.push({ ...look, text: to === end ? text : `${text} ` });
  });
  const text = Array.from(bytes.subarray(start, end), (byte) =>
    byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·',
  ).join('');
  return { hex, text };
}
