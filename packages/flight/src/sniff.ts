import { beginsAsFlight } from './flight-start.ts';
import { looksLikeFrames } from './from-frames.ts';
import { scanFlight } from './scan-flight.ts';
import { findBoundary } from './multipart.ts';

/**
 * What a file or pasted text is, from its first bytes: a response's Flight, a page with Flight in it, a HAR, an action's
 * request, something compressed. Content types are no help: Waku serves Flight as text/plain, and caches mix them up.
 */
export type Sniffed =
  | { kind: 'flight' }
  | { kind: 'html' }
  | { kind: 'har' }
  | { kind: 'reply' }
  | { kind: 'multipart' }
  /** What a server function of TanStack Start answers. */
  | { kind: 'frames' }
  /** Nothing of ours; `name` in words after "it is". */
  | { kind: 'other'; name: string }
  | { kind: 'compressed'; format: 'gzip' | 'zstd' }
  /** JSON that is none of these: an exported flight, perhaps. */
  | { kind: 'json' }
  | { kind: 'empty' }
  | { kind: 'unknown' };

const utf8 = new TextDecoder();

/** Bytes looked at for what is told from the start alone. */
const headBytes = 4096;

const htmlStart = /^(?:<!doctype html|<html|<!--|<head|<body|<script|<\w+[\s>])/i;

function sniffJson(head: string): Sniffed {
  if (/^\{\s*"log"\s*:\s*\{/.test(head)) return { kind: 'har' };
  return head.startsWith('[') ? { kind: 'reply' } : { kind: 'json' };
}

/**
 * Files that are often at hand instead of a payload, known by their first bytes, so that somebody who took the wrong one is
 * told which it is. Sources: the formats' own specifications; the same numbers are in file(1).
 */
const signatures: readonly { readonly at?: number; readonly bytes: readonly number[]; readonly name: string }[] = [
  { bytes: toBytes('%PDF-'), name: 'a PDF document' },
  { bytes: [0x89, ...toBytes('PNG')], name: 'a PNG image' },
  { bytes: [0xff, 0xd8, 0xff], name: 'a JPEG image' },
  { bytes: toBytes('GIF8'), name: 'a GIF image' },
  { bytes: toBytes('WEBP'), at: 8, name: 'a WebP image' },
  { bytes: toBytes('ftyp'), at: 4, name: 'a video, or an AVIF or HEIC image' },
  { bytes: [0, 0, 1, 0], name: 'an icon' },
  { bytes: toBytes('wOF'), name: 'a web font' },
  { bytes: [0, ...toBytes('asm')], name: 'a WebAssembly module' },
  { bytes: [...toBytes('PK'), 3, 4], name: 'a ZIP archive, or a document that is one' },
  { bytes: [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c], name: 'a 7z archive' },
  { bytes: [0xfd, ...toBytes('7zXZ')], name: 'compressed with xz' },
  { bytes: toBytes('BZh'), name: 'compressed with bzip2' },
  { bytes: toBytes('SQLite format 3'), name: 'an SQLite database' },
  { bytes: [0x7f, ...toBytes('ELF')], name: 'a program' },
  // PowerShell's `>` writes this.
  { bytes: [0xff, 0xfe], name: 'text in UTF-16, not in UTF-8; let curl write the file itself, with --output' },
  { bytes: [0xfe, 0xff], name: 'text in UTF-16, not in UTF-8' },
];

function toBytes(text: string): number[] {
  return Array.from(text, (character) => character.charCodeAt(0));
}

/** What the bytes are, in words after "it is"; undefined when they are none of these. */
function nameOtherFormat(bytes: Uint8Array): string | undefined {
  return signatures.find(({ at = 0, bytes: own }) => own.every((byte, index) => bytes[at + index] === byte))?.name;
}

/** Never throws. Flight must have at least one whole row, or be cut within its first. */
export function sniff(bytes: Uint8Array): Sniffed {
  if (bytes.length === 0) return { kind: 'empty' };
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return { kind: 'compressed', format: 'gzip' };
  if (bytes[0] === 0x28 && bytes[1] === 0xb5 && bytes[2] === 0x2f && bytes[3] === 0xfd) {
    return { kind: 'compressed', format: 'zstd' };
  }
  if (looksLikeFrames(bytes)) return { kind: 'frames' };
  const name = nameOtherFormat(bytes);
  if (name !== undefined) return { kind: 'other', name };
  if (findBoundary(bytes) !== undefined) return { kind: 'multipart' };
  if (beginsAsFlight(bytes)) {
    const { rows, end } = scanFlight([bytes]);
    return rows > 0 || end.kind === 'truncated' ? { kind: 'flight' } : { kind: 'unknown' };
  }
  const head = utf8.decode(bytes.subarray(0, headBytes)).trimStart();
  if (head === '') return { kind: 'empty' };
  if (htmlStart.test(head)) return { kind: 'html' };
  if (head.startsWith('{') || head.startsWith('[')) return sniffJson(head);
  return { kind: 'unknown' };
}

/** A payload with the line ends that were sent. `mended` says whether it had others. */
export function mendLineEnds(bytes: Uint8Array): { bytes: Uint8Array; mended: string[] } {
  const lines = restoreLineEnds(bytes);
  return { bytes: lines, mended: lines === bytes ? [] : ['with line ends of Windows'] };
}

/**
 * A payload in which every line end is that of Windows: no server writes one, but an editor and a checkout do. The lengths
 * of its texts count the line ends that were sent. Others come back as they are.
 */
function restoreLineEnds(bytes: Uint8Array): Uint8Array {
  let ends = 0;
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) {
    if (bytes[at - 1] !== 0x0d) return bytes;
    ends += 1;
  }
  if (ends === 0) return bytes;
  const restored = new Uint8Array(bytes.length - ends);
  let size = 0;
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] !== 0x0d || bytes[at + 1] !== 0x0a) restored[size++] = bytes[at] ?? 0;
  }
  return restored;
}

/** Flight that was pasted: an editor or a terminal drops the last line end and may have written others as CRLF. */
export function repairPasted(text: string): string {
  const lines = text.includes('\r\n') && !/[^\r]\n/.test(text) ? text.replaceAll('\r\n', '\n') : text;
  const isCutAtEnd = scanFlight([new TextEncoder().encode(lines)]).end.kind === 'truncated';
  return isCutAtEnd && !lines.endsWith('\n') && isWholeLastRow(lines) ? `${lines}\n` : lines;
}

function isWholeLastRow(text: string): boolean {
  const last = text.slice(text.lastIndexOf('\n') + 1);
  const body = /^[#~]?[0-9a-f]*:(?:[A-Z]\w?)?([^]*)$/.exec(last)?.[1];
  if (body === undefined) return false;
  try {
    JSON.parse(body);
    return true;
  } catch {
    // Not whole: it is cut there, and stays so.
    return false;
  }
}
