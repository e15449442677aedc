import 'server-only';

import { loadServerAction } from '@vitejs/plugin-rsc/rsc/server';
import serverReferences from 'virtual:vite-rsc/server-references';

/**
 * The server actions of this build. The bundler keeps them in an object literal and looks names up without asking
 * whether they are its own, so `toString` would be found and called. Names inside a request's arguments are looked up
 * in the same object by code that is not ours. Without a prototype there is nothing to inherit, wherever the name is from.
 * In dev there is no such list; there the bundler itself checks a name against the modules it has served.
 */
if (serverReferences) Object.setPrototypeOf(serverReferences, null);
else if (import.meta.env.PROD) throw new Error('This build has no list of server actions: plugin-rsc has changed it');

/**
 * True when `file` (the bundler's key of a module) has a server action exported as `name`.
 *
 * An import costs Node's loader a few look-ups each time, even of a loaded module. So once a module is loaded, its key gives
 * the module itself, also to the bundler's own look-up that follows.
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
