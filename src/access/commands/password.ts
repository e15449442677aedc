import 'server-only';

import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { type Readable, Writable } from 'node:stream';
import type { ReadStream } from 'node:tty';

import { readSetting } from '#src/server/environment/read-setting.ts';
import { openStore } from '#src/store/open-store.ts';

import { findPasswordFlaw, setPassword, type PasswordFlaw } from '../password.ts';

function describe(flaw: PasswordFlaw): string {
  switch (flaw) {
    case 'too-short':
      return 'a password has at least 12 characters';
    case 'too-long':
      return 'a password has at most 256 characters';
    case 'obvious':
      return 'that password is on every list of passwords to try first; take a few unrelated words';
  }
}

/** Reading stops after this many bytes: anything longer is not a password. */
const pipedLimit = 4096;

/** Asks on a terminal and does not show what is typed. */
async function askHidden(question: string, input: ReadStream, output: Writable): Promise<string> {
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
async function readPipedLine(input: Readable): Promise<string> {
  let text = '';
  for await (const chunk of input.setEncoding('utf8')) {
    text += String(chunk);
    if (text.length > pipedLimit) throw new Error('standard input holds more than a password');
  }
  const [line = ''] = text.split(/\r?\n/, 1);
  if (!line) throw new Error('standard input is empty; type the password there, or set FLIGHT_PASSWORD_FILE');
  return line;
}

/** Reads the password from `FLIGHT_PASSWORD_FILE`, as containers pass secrets; else typed twice; else a line of standard input. */
async function readPassword(): Promise<string> {
  const file = readSetting('FLIGHT_PASSWORD_FILE');
  if (file) return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  if (!process.stdin.isTTY) return readPipedLine(process.stdin);
  const first = await askHidden('New password: ', process.stdin, process.stdout);
  const second = await askHidden('The same again: ', process.stdin, process.stdout);
  if (first !== second) throw new Error('the two passwords differ; nothing was changed');
  return first;
}

/** `password set`: sets or changes the password, and signs everybody out. */
export async function managePassword(args: readonly string[]): Promise<number> {
  if (args.length !== 1 || args[0] !== 'set') return 2;
  const password = await readPassword();
  const flaw = findPasswordFlaw(password);
  if (flaw) throw new Error(`${describe(flaw)}; nothing was changed`);
  const store = await openStore();
  try {
    const ended = await setPassword(store, password);
    const signedOut = ended > 0 ? ` ${ended} session${ended === 1 ? '' : 's'} ended.` : '';
    process.stdout.write(`The password is set.${signedOut}\n`);
    return 0;
  } finally {
    await store.close();
  }
}
