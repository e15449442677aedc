import type { Plugin } from 'vite';

/**
 * In development the browser's frames point into modules as Vite serves them, and only Vite has their maps. Vite runs
 * in this process. The plugin puts the function that finds them on `globalThis`, since another loader loads the
 * server's own modules.
 */
export type ServedModule = {
  /** The source's path on this machine. */
  readonly file: string;
  /** A source map, as JSON. */
  readonly map: string;
};

declare global {
  var __FLIGHT_SERVED_MODULES__: ((url: string) => ServedModule | undefined) | undefined;
}

/** Finds only modules that the browser was given. `url` is a path without a query; anything else is not found. */
export function findServedModule(url: string): ServedModule | undefined {
  return globalThis.__FLIGHT_SERVED_MODULES__?.(url);
}

export function areModulesServed(): boolean {
  return globalThis.__FLIGHT_SERVED_MODULES__ !== undefined;
}

export function servedModules(): Plugin {
  return {
    name: 'flight-recorder:served-modules',
    apply: 'serve',
    configureServer(server) {
      globalThis.__FLIGHT_SERVED_MODULES__ = (url) => {
        const found = server.environments['client']?.moduleGraph.urlToModuleMap.get(url);
        const map = found?.transformResult?.map;
        return found?.file && map && 'toString' in map ? { file: found.file, map: JSON.stringify(map) } : undefined;
      };
    },
  };
}
