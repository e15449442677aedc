import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { toPlainJson } from '#boundary';
import { chooseDataFolder } from '#src/store/prepare-data.ts';

import { WrongUse } from './command.ts';
import { findDist } from './dist-folder.ts';
import { readVariable, setVariable } from '#src/server/environment/variables.ts';

/**
 * Without a command: the interface and the receivers, in this process, with the settings of the environment. The server finds its
 * files from the folder that holds `dist`; a relative data folder is the person's.
 */
export async function serve(args: readonly string[]): Promise<number> {
  const [unknown] = args;
  if (unknown !== undefined) throw new WrongUse(`there is no option ${toPlainJson(unknown)}`);
  const dist = findDist();
  setVariable('FLIGHT_DATA', chooseDataFolder(readVariable('FLIGHT_DATA')));
  setVariable('NODE_ENV', 'production');
  process.chdir(path.dirname(dist));
  await import(/* @vite-ignore */ pathToFileURL(path.join(dist, 'serve-node.js')).href);
  return 0;
}
