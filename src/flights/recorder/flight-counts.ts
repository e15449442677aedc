import { createTally } from '#src/server/http/tally.ts';

import type { WrittenCount } from '../writer/written.ts';

/** For `/metrics`: what this process has written, by app and by how the stream ended. */
export const flightCounts = createTally();
export const flightByteCounts = createTally();

export function noteWritten(written: readonly WrittenCount[]): void {
  for (const { app, outcome, flights, bytes } of written) {
    flightCounts.add(app, outcome, flights);
    flightByteCounts.add(app, outcome, bytes);
  }
}
