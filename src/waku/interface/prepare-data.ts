import { existsSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { readVariable } from '#src/command/variables.ts';
import { prepareFolder } from '#src/store/data-folder.ts';

function isInProject(folder: string): boolean {
  const parent = path.dirname(folder);
  if (['package.json', '.git'].some((name) => existsSync(path.join(folder, name)))) return true;
  return parent !== folder && isInProject(parent);
}

/** @param given what the option says. @returns the data folder, absolute */
export function chooseDataFolder(given: string | undefined): string {
  return path.resolve((given ?? readVariable('FLIGHT_DATA')) || 'data');
}

/**
 * Makes the data folder, unless it is there. In a project it is never committed: recordings hold what visitors saw.
 * @throws with one line that says what to do
 */
export function prepareData(folder: string): void {
  const isNew = !existsSync(folder);
  prepareFolder(folder);
  if (!statSync(folder).isDirectory()) throw new Error(`${folder} is not a folder. Set FLIGHT_DATA to one.`);
  if (isNew && isInProject(path.dirname(folder))) writeFileSync(path.join(folder, '.gitignore'), '*\n');
}
