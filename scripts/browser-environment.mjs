import { provideBrowser } from './find-browser.mjs';
import { fail, root } from './prepare.mjs';

/** The variables by which tests find their browser. Ends this process with one line where there is none to be had. */
export function browserEnvironment(node) {
  try {
    const browser = provideBrowser(root, node);
    return browser === 'playwright' ? {} : { CHROMIUM_PATH: browser };
  } catch (error) {
    return fail(error.message);
  }
}
