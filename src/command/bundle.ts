import { copyFileSync } from 'node:fs';
import path from 'node:path';

import { build } from 'vite';

import { recorderThreadOfServer } from '../recorder/vite.ts';
import { packModules } from '../waku/pack/pack-modules.ts';

/**
 * What is built besides the app, from its sources, for Node alone. The build enhancer calls it, in plain Node.
 *
 * - `dist/command.js`, the command line. It works where there is nothing but `dist`.
 * - `dist/workers.js`, for a server of several processes: what its first process loads instead of the server.
 * - `dist/next.js` and `dist/rsc.js`, the doors for other apps (package.json `exports`), with all that they need. Their types are
 *   written by hand: a bundle's own would name modules that are not there.
 * - `dist/waku/inside`, the plugin for other Waku apps and what it brings into them, module by module (pack-modules.ts).
 * - `dist/vitest.js` and `dist/playwright.js`, for the tests of other apps. The runner is the app's own, and is not bundled.
 *
 * Each bundle has its parts in a folder of its name, and loads them when they are needed: `--help` answers at once, a proxy is a small
 * process, and Next.js, which compiles its door also for a runtime without Node, finds what needs Node in a file of its own.
 */
type Entry = {
  /** From the project's root. */
  readonly from: string;
  /** `<name>.js` in `dist`. */
  readonly name: string;
  /** From the project's root: becomes `<name>.d.ts`. */
  readonly types?: string;
};

const entries: readonly Entry[] = [
  { from: 'src/command/main.ts', name: 'command' },
  { from: 'src/workers/primary/index.ts', name: 'workers' },
  { from: 'src/next/index.ts', name: 'next', types: 'src/next/public.d.ts' },
  { from: 'src/rsc/index.ts', name: 'rsc', types: 'src/rsc/public.d.ts' },
  { from: 'src/budgets/vitest/index.ts', name: 'vitest', types: 'src/budgets/vitest/public.d.ts' },
  { from: 'src/budgets/playwright/index.ts', name: 'playwright', types: 'src/budgets/playwright/public.d.ts' },
];

/** The plugin, in Node. What it brings into an app it names by paths, which are followed. */
const plugin = 'src/waku/plugin/index.ts';
const pluginTypes = 'src/waku/public.d.ts';

/** A second copy of a test runner knows nothing of the test that runs. Playwright is imported by a name that no bundler sees. */
const runners = ['vitest'];

/** What Waku's build does in the environment whose modules these are. */
const serverOnly = {
  name: 'flight-recorder:server-only',
  enforce: 'pre',
  resolveId: (source: string) => (source === 'server-only' ? '\0server-only' : undefined),
  load: (id: string) => (id === '\0server-only' ? 'export {};' : undefined),
} as const;

async function bundleEntry({ from, name, types }: Entry, distDir: string): Promise<string[]> {
  if (types !== undefined) copyFileSync(types, path.join(distDir, `${name}.d.ts`));
  const result = await build({
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    plugins: [serverOnly, recorderThreadOfServer()],
    ssr: { target: 'node', noExternal: true, external: runners },
    build: {
      ssr: from,
      // Other apps run on the oldest Node that is still patched.
      target: 'node20',
      outDir: distDir,
      emptyOutDir: false,
      rolldownOptions: {
        output: { entryFileNames: `${name}.js`, chunkFileNames: `${name}/[name].js` },
      },
    },
  });
  if (!('output' in result)) throw new Error(`bundle.ts: the build of ${name}.js is not one bundle`);
  return result.output.flatMap((chunk) => (chunk.type === 'chunk' ? Object.keys(chunk.modules) : []));
}

/** @returns the modules that all of it was made of */
export async function bundleBesideServer(distDir: string): Promise<readonly string[]> {
  const modules: string[] = [];
  for (const entry of entries) modules.push(...(await bundleEntry(entry, distDir)));
  const packed = await packModules(process.cwd(), [plugin], path.join(distDir, 'waku/inside'));
  copyFileSync(pluginTypes, path.join(distDir, 'waku.d.ts'));
  return [...modules, ...packed.ofPackages];
}
