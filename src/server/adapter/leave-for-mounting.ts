import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * The build that is copied to a mount path later (src/waku/mount/mount-interface.ts), as Waku leaves it before it prerenders:
 * pages are prerendered in the copy, when the path is known. A prerendered payload has lengths of texts in it, its name and those
 * of its elements follow from the path, and what Waku keeps of it is encoded: none of that could be mended in a file.
 *
 * Beside the server there are two scripts: `prerender.js`, which does that once, and `serve-node.js`, which serves from wherever
 * the copy was put.
 */
const prerenderScript = `import { createWriteStream, mkdirSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const folder = import.meta.dirname;
process.chdir(folder);
const { unstable_serverEntry: entry } = await import('./server/index.js');

async function emitFile(name, body) {
  const file = path.join(folder, name);
  if (!file.startsWith(folder + path.sep)) throw new Error(\`\${name} is outside of the build\`);
  mkdirSync(path.dirname(file), { recursive: true });
  await pipeline(Readable.fromWeb(body), createWriteStream(file));
}

await entry.build({ emitFile, unstable_registerPrunableFile() {} }, entry.buildOptions);
// What the server holds open would keep the process.
process.exit(0);
`;

/** A relative data folder is one of whoever starts it. */
const serveScript = `import path from 'node:path';

process.env.FLIGHT_DATA = path.resolve(process.env.FLIGHT_DATA || 'data');
process.env.NODE_ENV = 'production';
process.chdir(import.meta.dirname);
const { unstable_serverEntry } = await import('./server/index.js');

await unstable_serverEntry.serve();
`;

/** Files of the public folder are the app's neighbours: all of them stand below the mount path. */
function movePublicFiles(folder: string, mount: string): void {
  const [first = ''] = mount.slice(1).split('/');
  const below = path.join(folder, mount);
  mkdirSync(below, { recursive: true });
  for (const name of readdirSync(folder)) {
    if (name !== first) renameSync(path.join(folder, name), path.join(below, name));
  }
}

/** Fails when a regular expression holds the token: the path's slashes and dots would mean something else there than in a text. */
function checkToken(folder: string, mount: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (!entry.isFile() || !file.endsWith('.js')) continue;
    if (readFileSync(file, 'utf8').includes(`\\${mount}`)) {
      throw new Error(`${file} has ${mount} in a regular expression`);
    }
  }
}

/** @param mount the token that stands for the path */
export function leaveForMounting(distDir: string, mount: string): void {
  movePublicFiles(path.join(distDir, 'public'), mount);
  // Style sheets of server components, which the browser's build has too.
  rmSync(path.join(distDir, 'server', mount), { recursive: true, force: true });
  checkToken(distDir, mount);
  if (!existsSync(path.join(distDir, 'server/index.js'))) throw new Error(`there is no server in ${distDir}`);
  writeFileSync(path.join(distDir, 'prerender.js'), prerenderScript);
  writeFileSync(path.join(distDir, 'serve-node.js'), serveScript);
}
