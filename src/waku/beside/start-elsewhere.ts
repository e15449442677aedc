import { parseRecorderUrl } from '#report/recorder-url.ts';

import type { Beside } from './beside.ts';
import type { Mode } from './read-reach.ts';
import { withoutInterface } from './without-interface.ts';

export type ElsewhereOptions = {
  /** `https://<key>@<host>/<app>` */
  readonly to: string;
  readonly mode: Mode;
};

/**
 * The recorder is elsewhere: nothing is started, nothing is kept here but what it has not taken yet, and of the mount path nothing is
 * the interface's. What is recorded of the app is its own setting there; here it is what `RECORD` says.
 * @throws with one line when it is no such address
 */
export async function startElsewhere({ to, mode }: ElsewhereOptions): Promise<Beside> {
  const recorder = parseRecorderUrl(to);
  // It holds a key: it is not shown.
  if (!recorder) throw new Error('FLIGHT_RECORDER, or the option to, is not of the form https://<key>@<host>/<app>');
  return withoutInterface({ recorder, browsers: undefined }, mode);
}
