import { browserEnvironment } from './browser-environment.mjs';
import { ensureInstalled, findNode, root } from './prepare.mjs';

/** What every stage needs, each timed. @returns the Node that runs them, and how */
export async function prepareStages(clock) {
  await clock.measure('install', ensureInstalled);
  const node = findNode();
  let browser;
  await clock.measure('browser', () => {
    browser = browserEnvironment(node);
  });
  return { node, options: { cwd: root, env: { ...process.env, ...browser } } };
}
