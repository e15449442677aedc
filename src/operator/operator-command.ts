import 'server-only';

import { readFileSync } from 'node:fs';
import path from 'node:path';

import { isRecord } from '#src/http/is-record.ts';

/**
 * How the operator's commands are typed where this runs. Only who installed it knows: behind a unit they must run as its
 * user, and a container has no npm. So the unit and the compose file say it in `FLIGHT_OPERATOR`. (systemd's own
 * `INVOCATION_ID` says nothing: the terminals of many desktops hand it on to whatever is started in them.) Without it,
 * it is npm where the sources are, and Node where only `dist` is.
 */
type Environment = Readonly<Record<string, string | undefined>>;

function hasOperatorScript(folder: string): boolean {
  try {
    const manifest: unknown = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
    return isRecord(manifest) && isRecord(manifest['scripts']) && 'operator' in manifest['scripts'];
  } catch {
    // None, or none that npm could read either.
    return false;
  }
}

/** What stands before a command's name, for a process that was started in `folder`. */
export function findOperatorProgram(env: Environment, folder: string): string {
  const program = env['FLIGHT_OPERATOR']?.trim();
  if (program) return program;
  return hasOperatorScript(folder) ? 'npm run operator --' : 'node dist/operator.js';
}

let program: string | undefined;

/** `command`, such as `login-link`, as one types it where this process runs: `npm run operator -- login-link`. */
export function operatorCommand(command: string): string {
  program ??= findOperatorProgram(process.env, process.cwd());
  return `${program} ${command}`;
}
