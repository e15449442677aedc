import path from 'node:path';

import { build } from 'vite';

import { recorderThreadOfServer } from '../recorder/vite.ts';

/**
 * What is built besides the app, from its sources, for Node alone. The build enhancer calls it, in plain Node.
 *
 * The command line is `dist/command.js` with its parts in `dist/command/`: each is loaded when it is needed, so that `--help`
 * answers at once and a proxy is a small process. It works where there is nothing but `dist`.
 */
type Entry = {
  /** From the project's root. */
  readonly from: string;
  /** In `dist`. A folder with this name, without its ending, has the parts that are loaded later. */
  readonly file: string;
};

const entries: readonly Entry[] = [{ from: 'src/command/main.ts', file: 'command.js' }];

/** What Waku's build does in the environment whose modules these are. */
const serverOnly = {
  name: 'flight-recorder:server-only',
  enforce: 'pre',
  resolveId: (source: string) => (source === 'server-only' ? '\0server-only' : undefined),
  load: (id: string) => (id === '\0server-only' ? 'export {};' : undefined),
} as const;

async function bundleEntry({ from, file }: Entry, distDir: string): Promise<string[]> {
  const name = path.basename(file, '.js');
  const result = await build({
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    plugins: [serverOnly, recorderThreadOfServer()],
    ssr: { target: 'node', noExternal: true },
    build: {
      ssr: from,
      target: 'node22',
      outDir: distDir,
      emptyOutDir: false,
      rolldownOptions: {
        output: { entryFileNames: file, chunkFileNames: `${name}/[name].js` },
      },
    },
  });
  if (!('output' in result)) throw new Error(`bundle.ts: the build of ${file} is not one bundle`);
  return result.output.flatMap((chunk) => (chunk.type === 'chunk' ? Object.keys(chunk.modules) : []));
}

/** @returns the modules that all of it was made of */
export async function bundleBesideServer(distDir: string): Promise<readonly string[]> {
  const modules: string[] = [];
  for (const entry of entries) modules.push(...(await bundleEntry(entry, distDir)));
  return modules;
}
