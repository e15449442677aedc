import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { build as bundle } from 'vite';

import { formatLicenses, listMappedModules } from './bundled-licenses.ts';
import { writeFunctionRanges } from './list-functions.ts';
import { compressFiles, precompressedFolder } from './precompressed-files.ts';

/**
 * Runs after Waku's build, in plain Node. Seven things:
 * - the browser's source maps leave the public folder, where every file can be fetched, for `dist/maps`, where only the
 *   server reads them, and beside each is written which functions its sources have;
 * - files that compress well are compressed now, at the highest level, into `dist/precompressed`;
 * - `dist/serve-node.js`, which starts the server from the adapter's own `serve`, since Waku's copies the whole
 *   environment for every request;
 * - `dist/operator.js`, the command line, in one file and without the app: it must start fast, and work where there is
 *   nothing but `dist`;
 * - `dist/next.js` and `dist/rsc.js`, the doors for other apps (package.json `exports`), with all that they need and their types.
 *   Next.js compiles the first once more, also for a runtime without Node, so what needs Node is a file of its own;
 * - `dist/licenses.txt`: the licences of all packages in the above. Not in the public folder, since it names versions;
 * - `dist/package.json`: Waku leaves a file with nothing but a comment for a page that is only static, and outside of the
 *   project Node would take that for CommonJS, with a default export.
 */
type Build = (utils: unknown, options: { readonly distDir: string }) => Promise<void>;

const serveScript = `import { unstable_serverEntry } from './server/index.js';

await unstable_serverEntry.serve();
`;

/** By a path from the project's root: a project without a command line of its own gets none. */
const operatorEntry = 'src/operator/main.ts';

function moveSourceMaps(distDir: string): void {
  const publicFolder = path.join(distDir, 'public');
  if (!existsSync(publicFolder)) return;
  for (const entry of readdirSync(publicFolder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.map')) continue;
    const from = path.join(entry.parentPath, entry.name);
    const to = path.join(distDir, 'maps', path.relative(publicFolder, from));
    mkdirSync(path.dirname(to), { recursive: true });
    renameSync(from, to);
    writeFunctionRanges(to);
  }
}

/** `<name>.js` with the chunks that it imports when they are needed, `<name>-<chunk>.js`. */
type Entry = { readonly source: string; readonly name: string; readonly isSplit: boolean };

const entries: readonly Entry[] = [
  { source: operatorEntry, name: 'operator', isSplit: false },
  { source: 'src/next/index.ts', name: 'next', isSplit: true },
  { source: 'src/rsc/index.ts', name: 'rsc', isSplit: false },
];

/** The types of a door are written by hand: a bundle's own would name modules that are not there. */
function copyTypes(distDir: string, { source, name }: Entry): void {
  const types = path.join(path.dirname(source), 'public.d.ts');
  if (existsSync(types)) copyFileSync(types, path.join(distDir, `${name}.d.ts`));
}

/** @returns the modules that it was made of */
async function buildEntry(distDir: string, entry: Entry): Promise<string[]> {
  const { source, name, isSplit } = entry;
  if (!existsSync(source)) return [];
  copyTypes(distDir, entry);
  const result = await bundle({
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    plugins: [
      // What Waku's build does in the environment whose modules these are.
      {
        name: 'flight-recorder:server-only',
        enforce: 'pre',
        resolveId: (source) => (source === 'server-only' ? '\0server-only' : undefined),
        load: (id) => (id === '\0server-only' ? 'export {};' : undefined),
      },
    ],
    ssr: { target: 'node', noExternal: true },
    build: {
      ssr: source,
      target: 'node24',
      outDir: distDir,
      emptyOutDir: false,
      rolldownOptions: {
        output: isSplit
          ? { entryFileNames: `${name}.js`, chunkFileNames: `${name}-[name].js` }
          : { entryFileNames: `${name}.js`, codeSplitting: false },
      },
    },
  });
  if (!('output' in result)) throw new Error('build-enhancer.ts: the build of an entry is not one bundle');
  return result.output.flatMap((chunk) => (chunk.type === 'chunk' ? Object.keys(chunk.modules) : []));
}

export default async function enhanceBuild(build: Build): Promise<Build> {
  return async function buildAndTidy(utils, options) {
    await build(utils, options);
    const modules = listMappedModules(options.distDir);
    moveSourceMaps(options.distDir);
    await compressFiles(path.join(options.distDir, 'public'), path.join(options.distDir, precompressedFolder));
    writeFileSync(path.join(options.distDir, 'serve-node.js'), serveScript);
    writeFileSync(path.join(options.distDir, 'package.json'), '{ "private": true, "type": "module" }\n');
    for (const entry of entries) modules.push(...(await buildEntry(options.distDir, entry)));
    writeFileSync(path.join(options.distDir, 'licenses.txt'), formatLicenses(modules, process.cwd()));
  };
}
