import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';

import { readSetting } from '#src/server/environment/read-setting.ts';
import { describeError } from '#boundary';

let known: { readonly setting: string; readonly folder: string } | undefined;

/**
 * The folder with everything that belongs in a backup: `FLIGHT_DATA`, else `data` in the working directory. It is resolved once
 * for each value: the open store is looked up by this name several times in a request.
 */
export function dataFolder(): string {
  const setting = readSetting('FLIGHT_DATA');
  if (!known || known.setting !== setting) known = { setting, folder: path.resolve(setting) };
  return known.folder;
}

/** One folder at a time: Node's recursive form never ends where a file system answers ENOENT, as /proc does. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(path.dirname(folder));
  // Error messages can hold secrets: nobody else on the machine gets to read them.
  mkdirSync(folder, { mode: 0o700 });
}

/**
 * Makes `folder`, readable by its owner alone, unless it exists.
 * @throws with one line that says what to do, when this process cannot write in it
 */
export function prepareFolder(folder: string): void {
  try {
    makeFolder(folder);
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw new Error(
      `The data folder ${folder} cannot be written (${describeError(error)}). ` +
        'Set FLIGHT_DATA to a folder that this process may write.',
      { cause: error },
    );
  }
}

/** Whether this process can write in `folder`, which is made if it is missing. */
export function isFolderUsable(folder: string): boolean {
  try {
    prepareFolder(folder);
    return true;
  } catch {
    return false;
  }
}
