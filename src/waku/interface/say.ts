import { escapeText } from '#src/http/escape-text.ts';

/** One line in the app's output. */
export function say(line: string): void {
  process.stderr.write(`[flight-recorder] ${escapeText(line)}\n`);
}
