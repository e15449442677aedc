import 'server-only';

import type { ExperimentName } from './experiments.ts';

const sources = import.meta.glob<string>('./*.tsx', { query: '?raw', import: 'default', eager: true });

/** The text of an experiment's own module, as it was when the app was built. */
export function readSource(name: ExperimentName): string {
  const source = sources[`./${name}.tsx`];
  if (source === undefined) throw new Error(`The lab has no module src/lab/${name}.tsx`);
  return source;
}
