import type { IncomingMessage } from 'node:http';
import path from 'node:path';

import type { Plugin } from 'vite';

import { hereHeader } from '#src/server/http/flight-headers.ts';
import { isDirectRequest } from '#src/server/http/direct-request.ts';
import { serverSettings } from '#src/server/http/server-settings.ts';

declare global {
  /** Whole paths of the folders whose sources the dev server serves. Another loader loads the server's own modules. */
  var __FLIGHT_SOURCE_FOLDERS__: readonly string[] | undefined;
}

function removeHeader({ headers, rawHeaders }: IncomingMessage): void {
  delete headers[hereHeader];
  for (let at = rawHeaders.length - 2; at >= 0; at -= 2) {
    if (rawHeaders[at]?.toLowerCase() === hereHeader) rawHeaders.splice(at, 2);
  }
}

/**
 * In development: which requests come from this very machine, whose editor a link may open, and where the sources are. In dev the
 * server's own code is given no connection, so a header says it.
 *
 * @param otherFolder of sources outside the project
 */
export function editorLinks(otherFolder?: string): Plugin {
  return {
    name: 'flight-recorder:editor-links',
    apply: 'serve',
    configureServer({ config, middlewares }) {
      const others = otherFolder === undefined ? [] : [path.resolve(config.root, otherFolder)];
      globalThis.__FLIGHT_SOURCE_FOLDERS__ = [config.root, ...others];
      middlewares.use((incoming, _, next) => {
        removeHeader(incoming);
        const settings = serverSettings();
        if (settings.isLoopback && isDirectRequest(incoming, settings)) {
          incoming.headers[hereHeader] = '1';
          incoming.rawHeaders.push(hereHeader, '1');
        }
        next();
      });
    },
  };
}
