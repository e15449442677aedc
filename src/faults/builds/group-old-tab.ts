import 'server-only';

import { computeGrouping } from '#src/runtime/errors/fingerprint.ts';
import type { Grouping } from '#src/runtime/errors/grouping.ts';

/** Whatever the builds and the pages are, it is one thing that a deploy does. */
export function groupOldTab(name: string): Grouping {
  return computeGrouping({ name, message: '', frames: [] });
}
