import 'server-only';

import type { Experiment } from './experiment.ts';

/**
 * The pages of the experiments, as `fsRouter` takes them: by the path of a file that they would have under src/pages. An
 * experiment whose file cannot be evaluated fails when its own page is rendered, and not when all pages are listed.
 */

async function loadPage(experiment: Experiment): Promise<unknown> {
  const { makePage } = await import('./experiment-page-file.tsx');
  return makePage(experiment);
}

async function guardPage(load: () => Promise<unknown>): Promise<unknown> {
  try {
    return await load();
  } catch (error) {
    const { makeFailingPage } = await import('./experiment-page-file.tsx');
    return makeFailingPage(error);
  }
}

/** For `fsRouter`, beside the files of src/pages. */
export function experimentPages(experiments: readonly Experiment[]): Record<string, () => Promise<unknown>> {
  const pages: Record<string, () => Promise<unknown>> = {};
  for (const experiment of experiments) {
    const { name, status } = experiment;
    pages[`./pages/lab/${name}.tsx`] = () => loadPage(experiment);
    if (status === 'broken') continue;
    for (const [file, load] of Object.entries(experiment.pages)) {
      pages[`./pages/lab/${name}/${file}`] = () => guardPage(load);
    }
  }
  return pages;
}
