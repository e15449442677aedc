import 'server-only';

import { readFileSync } from 'node:fs';

import { readSetting } from '#src/environment/read-setting.ts';
import { openStore } from '#src/store/open-store.ts';

import { findPasswordFlaw, setPassword, type PasswordFlaw } from '../password.ts';
import { askHidden, readPipedLine } from './ask-hidden.ts';

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

/** From `FLIGHT_PASSWORD_FILE`, as containers pass secrets; else typed twice; else a line of standard input. */
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
