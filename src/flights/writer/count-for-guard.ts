import type { KnownSecret } from '#flight';

import type { FlightHead } from '../flight/flight-head.ts';
import type { Leak } from '../flight/leak.ts';
import type { ModuleFiles } from '../flight/module-files.ts';
import type { Storm } from '../flight/storm.ts';
import { createLeakCounts } from './count-leaks.ts';
import { createStormCounts } from './count-storms.ts';

/** What is found in the transaction that writes the flights. */
export type Counted = { readonly leaks: readonly Leak[]; readonly storms: readonly Storm[] };

/** Looks at each flight that is written for what somebody should know of. */
export type GuardCounts = {
  /** @param name of the content, as `nameContent` gives it */
  readonly look: (head: FlightHead, payload: Uint8Array, name: string | undefined) => void;
  /** The files of a build's client modules, by which a place is named. */
  readonly know: (app: string, build: string, files: ModuleFiles) => void;
  /** What was found since the last call. */
  readonly take: () => Counted;
};

/** @param known secrets of the app's own environment */
export function createGuardCounts(known: readonly KnownSecret[]): GuardCounts {
  const leaks = createLeakCounts(known);
  const storms = createStormCounts();
  return {
    look(head, payload, name) {
      leaks.look(head, payload, name);
      storms.note(head);
    },
    know: leaks.know,
    take: () => ({ leaks: leaks.take(), storms: storms.take() }),
  };
}
