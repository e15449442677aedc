import { copyFileSync } from 'node:fs';
import path from 'node:path';

import { build } from 'vite';

import { recorderThreadOfServer } from '#src/flights/recorder/vite.ts';
import { packModules } from '#src/waku/pack/pack-modules.ts';

/**
 * What is built besides the app, from its sources. The build enhancer calls it, in plain Node.
 *
 * - `dist/command.js`, the command line. It works where there is nothing but `dist`.
 * - `dist/next.js`, `dist/rsc.js` and `dist/guard.js`, the doors for other apps (package.json `exports`), with all that they need. Their
 *   types are written by hand: a bundle's own would name modules that are not there.
 * - `dist/browser.js` and `dist/next-client.js`, which other apps put into their own pages, `dist/page-script.js`, the same as one script
 *   that the proxy puts there, and `dist/browser-second-part.js`, which all of them load when they need it.
 * - `dist/waku/inside`, the plugin for other Waku apps and what it brings into them, module by module (pack-modules.ts).
 * - `dist/vitest.js` and `dist/playwright.js`, for the tests of other apps. The runner is the app's own, and is not bundled. Their
 *   parts are those of the command line: a budget may take its limits from what `compare` reads, and reads a payload as `flight` does.
 *
 * Each bundle has its parts in a folder of its own, and loads them when they are needed: `--help` answers at once, a proxy is a small
 * process, and Next.js, which compiles its door also for a runtime without Node, finds what needs Node in a file of its own.
 */
type Entry = {
  /** From the project's root. */
  readonly from: string;
  /** From the project's root: becomes `<name>.d.ts`. */
  readonly types?: string;
};

/** What is built together shares its parts. `parts` is their folder in `dist`; an entry's name is that of its file. */
type Bundle = { readonly parts: string; readonly entries: Readonly<Record<string, Entry>> };

const bundles: readonly Bundle[] = [
  {
    parts: 'command',
    entries: {
      command: { from: 'src/command/main.ts' },
      vitest: {
        from: 'packages/inspect/src/budgets/vitest/index.ts',
        types: 'packages/inspect/src/budgets/vitest/public.d.ts',
      },
      playwright: {
        from: 'packages/inspect/src/budgets/playwright/index.ts',
        types: 'packages/inspect/src/budgets/playwright/public.d.ts',
      },
    },
  },
  {
    parts: 'next',
    entries: {
      next: { from: 'packages/report/src/next/index.ts', types: 'packages/report/src/next/public.d.ts' },
    },
  },
  {
    parts: 'rsc',
    entries: { rsc: { from: 'packages/report/src/rsc/index.ts', types: 'packages/report/src/rsc/public.d.ts' } },
  },
  {
    parts: 'guard',
    entries: { guard: { from: 'src/flights/guard/index.ts', types: 'src/flights/guard/public.d.ts' } },
  },
];

/** What pages load when they need it: the same file for each of the entries below. */
const secondPart = { from: 'packages/report/src/browser/second-part.ts', name: 'browser-second-part' } as const;

/** Each is one file, which names the second part alone. A page's script is told where that is. */
const browserEntries: readonly (Entry & { readonly name: string; readonly format: 'es' | 'iife' })[] = [
  {
    from: 'packages/report/src/browser/index.ts',
    name: 'browser',
    types: 'packages/report/src/browser/public.d.ts',
    format: 'es',
  },
  { from: 'packages/report/src/next/client.ts', name: 'next-client', format: 'es' },
  { from: 'packages/report/src/browser/script.ts', name: 'page-script', format: 'iife' },
  { ...secondPart, format: 'es' },
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

async function makeBundle({ parts, entries }: Bundle, distDir: string): Promise<string[]> {
  for (const [name, { types }] of Object.entries(entries)) {
    if (types !== undefined) copyFileSync(types, path.join(distDir, `${name}.d.ts`));
  }
  const result = await build({
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    plugins: [serverOnly, recorderThreadOfServer()],
    ssr: { target: 'node', noExternal: true, external: runners },
    build: {
      ssr: true,
      // Other apps run on the oldest Node that is still patched.
      target: 'node20',
      outDir: distDir,
      emptyOutDir: false,
      rolldownOptions: {
        input: Object.fromEntries(Object.entries(entries).map(([name, { from }]) => [name, from])),
        output: {
          entryFileNames: '[name].js',
          chunkFileNames: `${parts}/[name].js`,
          comments: { jsdoc: false },
          // A tenth less in the package. Names stay, so that a stack names its functions.
          minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
        },
      },
    },
  });
  if (!('output' in result)) throw new Error(`bundle.ts: the build of ${parts} is not one bundle`);
  return result.output.flatMap((chunk) => (chunk.type === 'chunk' ? Object.keys(chunk.modules) : []));
}

const secondPartApart = {
  name: 'flight-recorder:second-part',
  enforce: 'pre',
  resolveId: (source: string, importer: string | undefined) =>
    importer !== undefined && source.endsWith('/second-part.ts')
      ? { id: `./${secondPart.name}.js`, external: true }
      : undefined,
} as const;

async function bundleForBrowser(
  { from, name, types, format }: (typeof browserEntries)[number],
  distDir: string,
): Promise<string[]> {
  if (types !== undefined) copyFileSync(types, path.join(distDir, `${name}.d.ts`));
  const result = await build({
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    plugins: [secondPartApart],
    // What Next.js writes there is the app's.
    define: { 'process.env': 'process.env' },
    build: {
      lib: { entry: from, name: 'flightRecorder', formats: [format], fileName: () => `${name}.js` },
      target: 'es2022',
      minify: true,
      outDir: distDir,
      emptyOutDir: false,
      // A library keeps its line breaks for whoever bundles it. Nobody bundles the second part: it is a seventh smaller.
      rolldownOptions: { output: name === secondPart.name ? { minify: true } : {} },
    },
  });
  const bundled = Array.isArray(result) ? result : [];
  return bundled.flatMap(({ output }) =>
    output.flatMap((chunk) => (chunk.type === 'chunk' ? Object.keys(chunk.modules) : [])),
  );
}

/** @returns the modules that all of it was made of */
export async function bundleBesideServer(distDir: string): Promise<readonly string[]> {
  const modules: string[] = [];
  for (const bundle of bundles) modules.push(...(await makeBundle(bundle, distDir)));
  for (const entry of browserEntries) modules.push(...(await bundleForBrowser(entry, distDir)));
  const packed = await packModules(process.cwd(), [plugin], path.join(distDir, 'waku/inside'));
  copyFileSync(pluginTypes, path.join(distDir, 'waku.d.ts'));
  return [...modules, ...packed.ofPackages];
}
