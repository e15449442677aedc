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

/**
 * The same for a command that starts an app of yours, typed in that app's folder. A unit's or a container's own program cannot start it.
 * From a clone it is not `npx flight-recorder`: npm would fetch something else of that name.
 */
export function findAppProgram(read: ReadSetting, folder: string): string {
  const found = findOperatorProgram(read, folder);
  if (found === 'npx .') return `npx ${/^[\w./-]+$/.test(folder) ? folder : JSON.stringify(folder)}`;
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
