import path from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Plugin } from 'vite';

/**
 * Waku offers no option for React's `onError`, and without one every digest is empty. Its request handler makes its
 * two render functions through one import; this plugin answers that import with ours, in dev, in the build and in the
 * static build alike. The import is internal to Waku, so the build fails when it was not met: a Waku that moved it
 * would otherwise silently bring the empty digests back.
 */
const waku = {
  importer: /[/\\]waku[/\\]dist[/\\]lib[/\\]vite-rsc[/\\]handler\.js$/,
  source: '../utils/render.js',
};

/** Waku's bootstrap scripts, which its packages's exports do not list. A missing file or name fails the build. */
const bootstrapId = 'virtual:flight-recorder/waku-ssr';

export function rendererHook(): Plugin {
  const ours = fileURLToPath(new URL('./render-utils.tsx', import.meta.url));
  let met = false;
  return {
    name: 'flight-recorder:renderer-hook',
    enforce: 'pre',
    sharedDuringBuild: true,
    async resolveId(source, importer) {
      if (source === bootstrapId) {
        const main = await this.resolve('waku', undefined, { skipSelf: true });
        if (!main) this.error('The package waku is not installed');
        return `${path.dirname(main.id.split('?')[0] ?? '')}/lib/utils/ssr.js`;
      }
      if (source !== waku.source || this.environment.name !== 'rsc' || !importer) return undefined;
      if (!waku.importer.test(importer.split('?')[0] ?? '')) return undefined;
      met = true;
      return ours;
    },
    buildEnd(error) {
      if (error || this.environment.mode !== 'build' || this.environment.name !== 'rsc') return;
      // The rsc graph is first scanned for references; that pass resolves the same imports.
      if (!met) {
        this.error(`Waku's handler no longer imports ${waku.source}: digests would be empty. Adjust renderer/vite.ts.`);
      }
    },
  };
}
