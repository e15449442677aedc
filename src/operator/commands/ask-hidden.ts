import 'server-only';

import { createInterface } from 'node:readline/promises';
import type { Readable } from 'node:stream';
import { Writable } from 'node:stream';
import type { ReadStream } from 'node:tty';

/** As much as is read before it is given up: whatever that is, it is no password. */
const pipedLimit = 4096;

/** Asks on a terminal without showing what is typed. */
export async function askHidden(question: string, input: ReadStream, output: Writable): Promise<string> {
  // Readline echoes to its output; this one takes everything and shows nothing.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: nowhere, terminal: true, historySize: 0 });
  const interrupted = new AbortController();
  lines.on('SIGINT', () => interrupted.abort());
  output.write(question);
  try {
    return await lines.question('', { signal: interrupted.signal });
  } catch (error) {
    throw new Error('given up; nothing was changed', { cause: error });
  } finally {
    lines.close();
    output.write('\n');
  }
}

/** The first line of a pipe or file, without its end. @throws when there is none, or it is too long to be a password */
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
