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
 */
export function hiddenMaps(dist: () => string): Plugin {
  let isOurs = false;
  return {
    name: 'flight-recorder:hidden-maps',
    apply: 'build',
    sharedDuringBuild: true,
    configEnvironment(name, config) {
      const isSet = config.build?.sourcemap !== undefined;
      if (name === 'client') isOurs = !isSet;
      if (isSet || !['client', 'rsc', 'ssr'].includes(name)) return undefined;
      return { build: { sourcemap: name === 'client' ? 'hidden' : true } };
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
        if (this.environment.name !== 'client' || !isOurs) return;
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
