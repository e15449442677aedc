import path from 'node:path';

import type { EnvironmentOptions, Plugin } from 'vite';

import { ownName } from './package-folder.ts';

/**
 * What every page loads, in one file: as a dozen separate files they share no compression window, and each has its name in every
 * page's list of files. Of ours it names where pages begin, which brings what those import at once. What is loaded later, the panel of
 * an error and its report, stays in files of its own.
 */
const neededByEveryPage = new RegExp(
  [
    String.raw`[\\/]node_modules[\\/](?:react|react-dom|scheduler|waku|rsc-html-stream|react-server-dom-webpack|@vitejs[\\/]plugin-rsc)[\\/]`,
    String.raw`[\\/]flight-recorder[\\/]dist[\\/]waku[\\/]inside[\\/]waku[\\/](?:app[\\/]|browser[\\/]react-dom-client)`,
  ].join('|'),
);

/** What the dev server would otherwise find at the first visit, and then begin again in front of the visitor. */
const foundLate = ['react', 'react/jsx-runtime', 'react-dom', 'react-dom/client'];

function hasOwnChunks(config: EnvironmentOptions): boolean {
  const output = config.build?.rolldownOptions?.output;
  if (Array.isArray(output)) return true;
  return (
    output?.codeSplitting !== undefined || output?.manualChunks !== undefined || output?.advancedChunks !== undefined
  );
}

function forClient(config: EnvironmentOptions): EnvironmentOptions {
  const optimizeDeps = { exclude: [ownName, `${ownName}/waku`], include: foundLate };
  if (hasOwnChunks(config)) return { optimizeDeps };
  const groups = [{ name: 'runtime', test: neededByEveryPage }];
  return { optimizeDeps, build: { rolldownOptions: { output: { codeSplitting: { groups } } } } };
}

/**
 * How the app's three environments take the modules of this package.
 * @param defined constants of the build: of `import.meta.env`
 */
export function environments(defined: Readonly<Record<string, string>>, dataFolder: (root: string) => string): Plugin {
  return {
    name: 'flight-recorder:environments',
    config(config) {
      // The recording is written while pages are looked at. Without this, the dev server takes that for an edit.
      const root = path.resolve(config.root ?? '.');
      return {
        define: Object.fromEntries(
          Object.entries(defined).map(([key, text]) => [`import.meta.env.${key}`, JSON.stringify(text)]),
        ),
        server: { watch: { ignored: [`${dataFolder(root)}/**`] } },
      };
    },
    configEnvironment(name, config) {
      if (name === 'client') return forClient(config);
      if (name !== 'rsc' && name !== 'ssr') return undefined;
      return { resolve: { noExternal: [ownName] }, optimizeDeps: { exclude: [ownName, `${ownName}/waku`] } };
    },
  };
}
