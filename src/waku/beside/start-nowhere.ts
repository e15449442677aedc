import type { Beside } from './beside.ts';
import type { Mode } from './read-reach.ts';
import { say } from './say.ts';
import { withoutInterface } from './without-interface.ts';

/** `mount: false`, and no recorder elsewhere. Errors have their digests, which are in the app's output and nowhere else. */
export function startNowhere(mode: Mode): Beside {
  say(
    'nothing is recorded: with `mount: false` a recorder elsewhere is needed, in FLIGHT_RECORDER or in the option `to`',
  );
  return withoutInterface(undefined, mode);
}
