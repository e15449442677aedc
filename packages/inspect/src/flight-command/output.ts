import { once } from 'node:events';

import { escapeText } from '#boundary';

import type { Paint } from './lines.ts';

/** Lines are written in pieces of about this many characters. */
const pieceLength = 65_536;

/** One line on standard error: only reports go to standard output. */
export function complain(text: string, command = 'flight'): void {
  process.stderr.write(`${command}: ${escapeText(text)}\n`);
}

/** Waits for a slow reader; ends quietly when the reader left, as `| head` does. */
export async function write(pieces: Iterable<string>): Promise<void> {
  let buffer = '';
  for (const piece of pieces) {
    buffer += piece;
    if (buffer.length < pieceLength) continue;
    if (!process.stdout.write(buffer)) await once(process.stdout, 'drain');
    buffer = '';
  }
  if (!process.stdout.write(buffer)) await once(process.stdout, 'drain');
}

const styles = { title: '1', problem: '31', faint: '2' } as const;

/** Colours where a person sees them, and not where NO_COLOR says no. */
export function choosePaint(): Paint {
  if (!process.stdout.isTTY || process.env.NO_COLOR) return (_style, text) => text;
  return (style, text) => `\u001b[${styles[style]}m${text}\u001b[0m`;
}

/** Ends the process when the reader of standard output has left: nobody is there for the rest. */
export function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
}
