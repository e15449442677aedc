import { browserEnvironment } from './browser-environment.mjs';
import { ensureBuilt, ensureInstalled, ensureMounted, findNode, root } from './prepare.mjs';

/** What every stage needs, each timed. @returns the Node that runs them, and how */
export async function prepareStages(clock, { isMounted }) {
  await clock.measure('install', ensureInstalled);
  const node = findNode();
  let browser;
  await clock.measure('browser', () => {
    browser = browserEnvironment(node);
  });
  await clock.measure('build', () => {
    ensureBuilt(node);
    if (isMounted) ensureMounted(node);
  });
  return { node, options: { cwd: root, env: { ...process.env, ...browser } } };
}
