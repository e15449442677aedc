import { diffFlights } from '#flight';

import type { CompareTask } from './compare-task.ts';

/** Runs in its own worker: to compare 5 MB takes seconds. One task, one answer. */
globalThis.addEventListener('message', ({ data }: MessageEvent<CompareTask>) =>
  globalThis.postMessage(diffFlights(data.before, data.after), { transfer: [] }),
);
