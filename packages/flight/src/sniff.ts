import { beginsAsFlight } from './flight-start.ts';
import { looksLikeFrames } from './from-frames.ts';
import { nameOtherFormat } from './other-formats.ts';
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
