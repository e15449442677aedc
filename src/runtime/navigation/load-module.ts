import { importAgain } from './import-again.ts';

/**
 * What each `import()` of the browser's build goes through, in place of Vite's own helper (vite.ts): it loads the style sheets of the
 * module first, and tells the browser of its other files. A module that cannot be fetched is tried once more (import-again.ts), and a style
 * sheet that could not be is forgotten, so that the next call tries it again; Vite's helper would show the part without its style.
 *
 * What fails is told as the event `vite:preloadError`, as Vite does. Waku listens for it, and module-recovery.ts. The import fails all the
 * same when it is prevented. With Vite it has nothing in it then: while Waku loads the document anew, whoever takes the module's exports
 * fails by a `TypeError` of which no page knows that a module is missing.
 */
type Load = () => Promise<unknown>;

const sheets = new Map<string, Promise<unknown>>();

function addLink(href: string, isSheet: boolean): HTMLLinkElement {
  const link = document.createElement('link');
  link.rel = isSheet ? 'stylesheet' : 'modulepreload';
  link.crossOrigin = '';
  link.href = href;
  document.head.append(link);
  return link;
}

function loadSheet(href: string): Promise<unknown> {
  const link = addLink(href, true);
  return new Promise((resolve, reject) => {
    link.addEventListener('load', resolve);
    link.addEventListener('error', () => {
      link.remove();
      sheets.delete(href);
      reject(new Error(`Unable to preload CSS for ${href}`));
    });
  });
}

function loadFile(file: string): Promise<unknown> | undefined {
  const href = import.meta.env.BASE_URL + file;
  const known = sheets.get(href);
  if (known) return known;
  const isSheet = file.endsWith('.css');
  for (const link of document.querySelectorAll(`link[href="${href}"]`)) {
    if (!isSheet || link.matches('[rel=stylesheet]')) return undefined;
  }
  if (!isSheet) return void addLink(href, false);
  const loading = loadSheet(href);
  sheets.set(href, loading);
  return loading;
}

function tell(error: unknown): never {
  dispatchEvent(Object.assign(new Event('vite:preloadError', { cancelable: true }), { payload: error }));
  throw error;
}

/** @param files that the module needs, as their paths below the base path */
export async function loadModule(load: Load, files: readonly string[] = []): Promise<unknown> {
  const loaded = await Promise.allSettled(files.map(loadFile));
  for (const result of loaded) if (result.status === 'rejected') tell(result.reason);
  return load().catch(importAgain).catch(tell);
}
