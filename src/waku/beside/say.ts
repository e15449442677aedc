import { escapeText } from '#boundary';

/** One line in the app's output. */
export function say(line: string): void {
  process.stderr.write(`[flight-recorder] ${escapeText(line)}\n`);
}
