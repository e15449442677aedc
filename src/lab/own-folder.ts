import path from 'node:path';

import { normalizePath, searchForWorkspaceRoot, type Plugin } from 'vite';

/**
 * A folder of experiments outside this project, for `npm run lab -- <folder>`: Vite may read it, and what its files import is found.
 * First in the folder's own node_modules, as everywhere, then in this project's. React is always this project's: a second copy
 * would not know what the first one renders.
 */
export function ownLabFolder(folder: string): Plugin {
  const prefix = `${normalizePath(folder)}/`;
  let root = process.cwd();
  return {
    name: 'flight-recorder:own-lab-folder',
    apply: 'serve',
    config(config) {
      root = config.root ?? root;
      return {
        server: { fs: { allow: [searchForWorkspaceRoot(root), folder] } },
        resolve: { dedupe: ['react', 'react-dom', 'react-server-dom-webpack', 'waku'] },
      };
    },
    // Vite's own resolver has come before and found nothing.
    resolveId(source, importer, options) {
      const isBare = !source.startsWith('.') && !path.isAbsolute(source) && !source.startsWith('\0');
      if (!isBare || !importer || !normalizePath(importer).startsWith(prefix)) return undefined;
      return this.resolve(source, path.join(root, 'package.json'), { ...options, skipSelf: true });
    },
  };
}
