import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { prepareFolder } from './data-folder.ts';

/** Where the data is for whoever did not say it: in the folder where a person is, which is mostly that of an app. */
const usual = 'data';
/** Many apps have a `data` of their own. Their files are not mixed with ours. */
const neighbour = 'flight-recorder-data';
/**
 * One of them is the first thing that is written, whoever starts. A list without one of them lets two apps of a project that start
 * together take two folders: the second sees the first file of the first.
 */
const ownFiles = ['flight.db', 'flights.db', 'instance.json', 'instance.lock', 'interface.starting', 'unwritten'];

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // It is not there, or is no folder.
    return [];
  }
}

/** What a person sees of a folder: `.gitkeep` and the like are not it. */
function listVisible(folder: string): readonly string[] {
  return listNames(folder).filter((name) => !name.startsWith('.'));
}

function isOfOthers(folder: string): boolean {
  const names = listVisible(folder);
  return names.length > 0 && !names.some((name) => ownFiles.includes(name) || name.startsWith('spool-'));
}

/** @param from where a person is @returns `data`, or its neighbour where the app has a `data` of its own; absolute */
export function findDefaultFolder(from: string = process.cwd()): string {
  const folder = path.join(from, usual);
  return isOfOthers(folder) ? path.join(from, neighbour) : folder;
}

/** @param given what an option or a variable says @returns the data folder, absolute */
export function chooseDataFolder(given: string | undefined): string {
  return given ? path.resolve(given) : findDefaultFolder();
}

function isInProject(folder: string): boolean {
  const parent = path.dirname(folder);
  if (['package.json', '.git'].some((name) => existsSync(path.join(folder, name)))) return true;
  return parent !== folder && isInProject(parent);
}

/**
 * Makes the data folder, unless it is there. In a project it is never committed: recordings hold what visitors saw. A folder that has
 * something visible was made by somebody, who has said what is committed.
 * @throws with one line that says what to do
 */
export function prepareData(folder: string): void {
  const isNew = listVisible(folder).length === 0;
  prepareFolder(folder);
  if (!statSync(folder).isDirectory()) throw new Error(`${folder} is not a folder. Set FLIGHT_DATA to one.`);
  const list = path.join(folder, '.gitignore');
  if (isNew && !existsSync(list) && isInProject(path.dirname(folder))) writeFileSync(list, '*\n');
}
