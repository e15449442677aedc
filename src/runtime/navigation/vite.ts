import { fileURLToPath } from 'node:url';

import type { Plugin } from 'vite';

/** The module that Vite puts each `import()` of the browser's build through. In development there is none. */
const helper = '\0vite/preload-helper.js';
const ours = fileURLToPath(new URL('./load-module.ts', import.meta.url));

/**
 * Puts `load-module.ts` in place of Vite's helper. The build fails where Vite has no such helper any more: nothing would then try again
 * what could not be fetched, and nobody would see it.
 */
export function loadModulesOurWay(): Plugin {
  return {
    name: 'flight-recorder:load-module',
    apply: 'build',
    enforce: 'pre',
    load: {
      filter: { id: /vite\/preload-helper\.js$/ },
      handler: (id) =>
        id === helper ? `export { loadModule as __vitePreload } from ${JSON.stringify(ours)};` : undefined,
    },
    buildEnd(error) {
      if (error || this.environment.name !== 'client') return;
      const isThere = [...this.getModuleIds()].includes(ours);
      if (!isThere) this.error('navigation/vite.ts: Vite has no helper for imports any more');
    },
  };
}
