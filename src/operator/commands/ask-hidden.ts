import 'server-only';

import { createInterface } from 'node:readline/promises';
import type { Readable } from 'node:stream';
import { Writable } from 'node:stream';
import type { ReadStream } from 'node:tty';

/** Reading stops after this many bytes: anything longer is not a password. */
const pipedLimit = 4096;

/** Asks on a terminal and does not show what is typed. */
export async function askHidden(question: string, input: ReadStream, output: Writable): Promise<string> {
  // Readline echoes to its output. This output takes everything and shows nothing.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: nowhere, terminal: true, historySize: 0 });
  const interrupted = new AbortController();
  lines.on('SIGINT', () => interrupted.abort());
  output.write(question);
  try {
    return await lines.question('', { signal: interrupted.signal });
  } catch (error) {
    throw new Error('cancelled; nothing was changed', { cause: error });
  } finally {
    lines.close();
    output.write('\n');
  }
}

/**
 * The first line of a pipe or file, without its line end.
 * @throws when there is no line, or the line is too long for a password
 */
export async function readPipedLine(input: Readable): Promise<string> {
  let text = '';
  for await (const chunk of input.setEncoding('utf8')) {
    text += String(chunk);
    if (text.length > pipedLimit) throw new Error('standard input holds more than a password');
  }
  const [line = ''] = text.split(/\r?\n/, 1);
  if (!line) throw new Error('standard input is empty; type the password there, or set FLIGHT_PASSWORD_FILE');
  return line;
}
