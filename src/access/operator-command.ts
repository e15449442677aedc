import 'server-only';

import { readFileSync } from 'node:fs';
import path from 'node:path';

import { readSetting, type ReadSetting } from '#src/server/environment/read-setting.ts';
import { isRecord } from '#boundary';

/**
 * How the commands are typed on this installation. Only the person who installed it knows: under systemd they must run as the
 * unit's user, and a container has no npm. So the unit and the compose file say it in `FLIGHT_OPERATOR`, and so does
 * bin/flight-recorder.mjs, which sees how it was called itself. (systemd's own `INVOCATION_ID` proves nothing: on many desktops,
 * terminals inherit it and pass it to everything started in them.) Without the variable, the command is npm's when the sources
 * are there, and Node's when only `dist` is.
 */
function hasCommand(folder: string): boolean {
  try {
    const manifest: unknown = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
    return isRecord(manifest) && isRecord(manifest['bin']) && 'flight-recorder' in manifest['bin'];
  } catch {
    // There is no package.json, or one that npm could not read either.
    return false;
  }
}

/** What is typed before a command's name, for a process that was started in `folder`. */
export function findOperatorProgram(read: ReadSetting, folder: string): string {
  const program = read('FLIGHT_OPERATOR');
  if (program) return program;
  return hasCommand(folder) ? 'npx .' : 'node dist/command.js';
}

/** In quotes that every shell takes, where it is more than a plain path. */
function quotePath(file: string): string {
  return /^[\w./-]+$/.test(file) ? file : JSON.stringify(file);
}

/**
 * The same for a command that starts an app of yours, typed in that app's folder. A unit's or a container's own program cannot start it.
 * From a clone it is not `npx flight-recorder`: npm would fetch something else of that name.
 */
export function findAppProgram(read: ReadSetting, folder: string): string {
  const found = findOperatorProgram(read, folder);
  if (found === 'npx .') return `npx ${quotePath(folder)}`;
  return /^(?:npx )?flight-recorder$|^npx /.test(found) ? found : 'npx flight-recorder';
}

export function appProgram(): string {
  return findAppProgram(readSetting, process.cwd());
}

let program: string | undefined;

/** `command`, such as `login-link`, as it is typed where this process runs: `npx . login-link`. */
export function operatorCommand(command: string): string {
  program ??= findOperatorProgram(readSetting, process.cwd());
  return `${program} ${command}`;
}

/**
 * The same with the data folder, where this process was given one: typed without it, the command would work on another. A unit's or a
 * container's own program knows it. For who is signed in: the folder is nobody else's to know.
 */
export function writeOperatorCommand(read: ReadSetting, folder: string, command: string): string {
  const typed = `${findOperatorProgram(read, folder)} ${command}`;
  const isOurs = /^(?:npx |flight-recorder |node )/.test(typed);
  // It has a default, and a process that was given none is where the command would look.
  const data = path.resolve(folder, read('FLIGHT_DATA'));
  return isOurs && data !== path.resolve(folder, 'data') ? `FLIGHT_DATA=${quotePath(data)} ${typed}` : typed;
}

export function operatorCommandHere(command: string): string {
  return writeOperatorCommand(readSetting, process.cwd(), command);
}
