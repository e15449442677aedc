import type { Flight } from './flight.ts';
import { codedDollarKind, codedKeyKind, codedKind, endAt, offsetMask, startAt } from './tape.ts';

/**
 * Text is made from bytes only when it is read. Most strings are plain ASCII, whose text is a slice of a window of decoded
 * bytes, one byte to one character: a call to a decoder for each short string would cost more than all the rest. A window
 * ends before the first byte that is not ASCII, grows while reading goes forward, and stays small for a reader that jumps.
 */
export type TapeText = Pick<Flight, 'bytes' | 'tape' | 'window'>;

/** A byte order mark within a row is text. */
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

const smallestWindow = 1 << 10;
const largestWindow = 1 << 18;
// The decoder gives no character below U+0080 but for an ASCII byte.
const notAscii = /[^\0-\x7f]/g;

function moveWindow(flight: TapeText, start: number, end: number): void {
  const { window } = flight;
  const goesOn = start >= window.start && start <= window.end + window.size;
  const size = goesOn ? Math.min(window.size * 2, largestWindow) : smallestWindow;
  const until = Math.min(flight.bytes.length, Math.max(end, start + size));
  const text = utf8.decode(flight.bytes.subarray(start, until));
  notAscii.lastIndex = end - start;
  const stop = text.length === until - start ? -1 : (notAscii.exec(text)?.index ?? -1);
  window.start = start;
  window.end = stop < 0 ? until : start + stop;
  window.size = stop < 0 ? size : Math.max(stop, smallestWindow);
  window.text = text;
}

/** The text of `bytes[start, end)`, which are all ASCII. */
function readPlain(flight: TapeText, start: number, end: number): string {
  const { window } = flight;
  if (start < window.start || end > window.end) {
    if (end - start > largestWindow) return readUtf8(flight, start, end);
    moveWindow(flight, start, end);
  }
  return window.text.slice(start - window.start, end - window.start);
}

export function readUtf8(flight: TapeText, start: number, end: number): string {
  return utf8.decode(flight.bytes.subarray(start, end));
}

/** The text of the JSON string at a place of the tape: a value or a key. */
export function readString(flight: TapeText, at: number): string {
  const { words } = flight.tape;
  const kind = (words[at] ?? 0) >>> 28;
  const start = (words[at] ?? 0) & offsetMask;
  const end = words[at + 1] ?? 0;
  const isCoded = kind === codedKind || kind === codedDollarKind || kind === codedKeyKind;
  if (!isCoded) return readPlain(flight, start + 1, end - 1);
  const text = readUtf8(flight, start + 1, end - 1);
  if (!text.includes('\\')) return text;
  const parsed: unknown = JSON.parse(`"${text}"`);
  return typeof parsed === 'string' ? parsed : '';
}

const powersOfTen = Array.from({ length: 16 }, (_, power) => 10 ** power);

/**
 * The number at a place of the tape. Up to 15 digits, with or without a point, are an exact integer over an exact power of
 * ten, and one division rounds as reading the text would; others are read from their text.
 */
export function readNumber(flight: TapeText, at: number): number {
  const { bytes } = flight;
  const start = startAt(flight.tape, at);
  const isNegative = bytes[start] === 0x2d;
  let value = 0;
  let digits = 0;
  let point = -1;
  for (let i = isNegative ? start + 1 : start; digits < 16; i++) {
    const byte = bytes[i] ?? 0;
    if (byte >= 0x30 && byte <= 0x39) {
      value = value * 10 + byte - 0x30;
      digits += 1;
    } else if (byte === 0x2e) point = digits;
    else if ((byte | 0x20) === 0x65) break;
    else {
      const magnitude = point < 0 ? value : value / (powersOfTen[digits - point] ?? 1);
      return isNegative ? -magnitude : magnitude;
    }
  }
  return Number(readPlain(flight, start, endAt(flight.tape, at, bytes)));
}
