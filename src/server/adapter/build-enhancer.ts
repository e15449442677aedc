import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { formatLicenses, listMappedModules } from './bundled-licenses.ts';
import { leaveForMounting } from './leave-for-mounting.ts';
import { compressFiles, precompressedFolder } from './precompressed-files.ts';

/**
 * Runs after Waku's build, in plain Node. Six things:
 * - the browser's source maps leave the public folder, where every file can be fetched, for `dist/maps`, where only the
 *   server reads them;
 * - files that compress well are compressed now, at the highest level, into `dist/precompressed`;
 * - `dist/serve-node.js`, which starts the server from the adapter's own `serve`, since Waku's copies the whole
 *   environment for every request;
 * - what runs without the app, where the project has it: the command line, the doors for other apps (src/command/bundle.ts);
 * - `dist/licenses.txt`: the licences of all packages in the above. Not in the public folder, since it names versions;
 * - `dist/package.json`: Waku leaves a file with nothing but a comment for a page that is only static, and outside of the
 *   project Node would take that for CommonJS, with a default export.
 *
 * The build that is mounted in other apps is left as it is before Waku prerenders: see leave-for-mounting.ts.
 */
type Build = (utils: unknown, options: { readonly distDir: string; readonly mount: string }) => Promise<void>;

const serveScript = `import { unstable_serverEntry } from './server/index.js';

await unstable_serverEntry.serve();
`;

/** By a path from the project's root: a project without a command line of its own gets none. */
const besideServer = 'src/command/bundle.ts';

function moveSourceMaps(distDir: string): void {
  const publicFolder = path.join(distDir, 'public');
  if (!existsSync(publicFolder)) return;
  for (const entry of readdirSync(publicFolder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.map')) continue;
    const from = path.join(entry.parentPath, entry.name);
    const to = path.join(distDir, 'maps', path.relative(publicFolder, from));
    mkdirSync(path.dirname(to), { recursive: true });
    renameSync(from, to);
  }
}

function writePackage(distDir: string): void {
  writeFileSync(path.join(distDir, 'package.json'), '{ "private": true, "type": "module" }\n');
}

/** @returns the modules that they were made of */
async function buildBeside(distDir: string): Promise<readonly string[]> {
  if (!existsSync(besideServer)) return [];
  const { bundleBesideServer }: { bundleBesideServer: (distDir: string) => Promise<readonly string[]> } = await import(
    pathToFileURL(path.resolve(besideServer)).href
  );
  return await bundleBesideServer(distDir);
}

export default async function enhanceBuild(build: Build): Promise<Build> {
  return async function buildAndTidy(utils, options) {
    if (options.mount !== '') {
      leaveForMounting(options.distDir, options.mount);
      writePackage(options.distDir);
      return;
    }
    await build(utils, options);
    const modules = listMappedModules(options.distDir);
    moveSourceMaps(options.distDir);
    await compressFiles(path.join(options.distDir, 'public'), path.join(options.distDir, precompressedFolder));
    writeFileSync(path.join(options.distDir, 'serve-node.js'), serveScript);
    writePackage(options.distDir);
    modules.push(...(await buildBeside(options.distDir)));
    writeFileSync(path.join(options.distDir, 'licenses.txt'), formatLicenses(modules, process.cwd()));
  };
}
