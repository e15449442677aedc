import { lookAtTexts, type Flight } from '#flight';

import type { Understood } from './understand-task.ts';

/** Secrets among the findings, and personal data. A file of its own: a page draws first, and loads it when it is idle. */
export function addTexts(flight: Flight, understood: Understood): Understood {
  return { ...understood, ...lookAtTexts(flight, understood.findings) };
}
