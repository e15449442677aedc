import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import type { Plugin } from 'vite';

/** In the app's `dist`: the maps of its browser scripts, which are never served. */
const mapsFolder = 'maps';

const withoutMaps = /^(?:rsc|waku|flight-recorder)[:/]/;

/**
 * Browsers' errors are told in the app's own files and lines by source maps, and everything in `dist/public` can be fetched by
 * anybody. So the maps of scripts go to `dist/maps`, by the same names. An app that says itself which maps it wants keeps those, and
 * where it wants: they are hers.
 *
 * @param isRead whether a part that is on reads the maps of this environment; known when Vite has read its configuration
 */
export function hiddenMaps(dist: () => string, isRead: (environment: string) => boolean): Plugin {
  const ours = new Set<string>();
  return {
    name: 'flight-recorder:hidden-maps',
    apply: 'build',
    sharedDuringBuild: true,
    configEnvironment(name, config) {
      // What an app has set is seen here alone, and which adapter it has is known only later.
      if (config.build?.sourcemap !== undefined || !['client', 'rsc', 'ssr'].includes(name)) return undefined;
      ours.add(name);
      return { build: { sourcemap: name === 'client' ? 'hidden' : true } };
    },
    buildApp: {
      order: 'pre',
      async handler({ environments }) {
        for (const { name, config } of Object.values(environments)) {
          if (!ours.has(name) || isRead(name)) continue;
          config.build.sourcemap = false;
          ours.delete(name);
        }
      },
    },
    onLog(_level, { code, plugin = '' }) {
      // Waku's plugins and plugin-rsc's make no maps of what they change, in a line or two of some modules. Who did not ask for maps
      // would read a screen of warnings.
      return !(code === 'SOURCEMAP_BROKEN' && withoutMaps.test(plugin));
    },
    generateBundle: {
      // After whatever else still changes the maps.
      order: 'post',
      handler(_options, bundle) {
        if (this.environment.name !== 'client' || !ours.has('client')) return;
        const folder = path.join(dist(), mapsFolder);
        rmSync(folder, { recursive: true, force: true });
        for (const [name, file] of Object.entries(bundle)) {
          if (!name.endsWith('.map') || file.type !== 'asset') continue;
          const target = path.join(folder, name);
          mkdirSync(path.dirname(target), { recursive: true });
          writeFileSync(target, file.source);
          delete bundle[name];
        }
      },
    },
  };
}
