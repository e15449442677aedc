import 'server-only';

import { loadServerAction } from '@vitejs/plugin-rsc/rsc/server';
import serverReferences from 'virtual:vite-rsc/server-references';

/**
 * The server actions of this build. The bundler keeps them in an object literal and looks names up without asking
 * whether they are its own, so `toString` would be found and called. Names inside a request's arguments are looked up
 * in the same object, out of our reach: without a prototype there is nothing to inherit, wherever the name comes from.
 * In dev there is no such list; there the bundler itself checks a name against the modules it has served.
 */
if (serverReferences) Object.setPrototypeOf(serverReferences, null);

/**
 * True when `file` (the bundler's key of a module) has a server action exported as `name`.
 *
 * An import costs Node's loader a few look-ups each time, also of a module that is there: once loaded, a module is what
 * its key answers with, to the bundler's own look-up as well, which follows.
 */
export async function hasAction(file: string, name: string): Promise<boolean> {
  if (!serverReferences) return hasActionInDev(file, name);
  const load = Object.hasOwn(serverReferences, file) ? serverReferences[file] : undefined;
  if (!load) return false;
  const loaded = await load();
  serverReferences[file] = () => Promise.resolve(loaded);
  return Object.hasOwn(loaded, name);
}

async function hasActionInDev(file: string, name: string): Promise<boolean> {
  try {
    return typeof (await loadServerAction(`${file}#${name}`)) === 'function';
  } catch {
    // The bundler refuses modules it does not know by throwing. A module that fails to load is named in its overlay.
    return false;
  }
}
