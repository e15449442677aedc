import type { ReadExperiment } from './read-experiments.ts';

/**
 * In development: what the files of the experiments say about themselves now. The dev server's list (../vite.ts) and the server that
 * shows it are in one process and in two module graphs, so it is kept where both see it.
 */
type LiveFacts = Pick<
  ReadExperiment,
  'file' | 'title' | 'isUntitled' | 'happens' | 'lookFor' | 'group' | 'order' | 'fails' | 'problem' | 'sources'
>;

declare global {
  /** By the whole path of a file. */
  var __FLIGHT_LAB_FACTS__: Map<string, LiveFacts> | undefined;
}

export function noteFacts(read: readonly ReadExperiment[]): void {
  const facts = (globalThis.__FLIGHT_LAB_FACTS__ ??= new Map());
  for (const experiment of read) facts.set(experiment.path, experiment);
}

/** For the text of the list in development: `live(path, fixed)` is an experiment whose other facts are read when they are asked for. */
export const printedLive = `const names = ['file', 'title', 'isUntitled', 'happens', 'lookFor', 'group', 'order', 'fails', 'problem', 'sources'];
function live(path, fixed) {
  const get = (name) => () => globalThis.__FLIGHT_LAB_FACTS__?.get(path)?.[name];
  const getters = names.map((name) => [name, { enumerable: true, get: get(name) }]);
  return Object.defineProperties(fixed, Object.fromEntries(getters));
}
`;
