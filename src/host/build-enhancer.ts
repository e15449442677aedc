import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Runs after Waku's build, in plain Node. Two things:
 * - the browser's source maps leave the public folder, where every file can be fetched, for `dist/maps`, where only the
 *   server reads them;
 * - `dist/serve-node.js`, which starts the server from the adapter's own `serve`, since Waku's copies the whole
 *   environment for every request.
 */
type Build = (utils: unknown, options: { readonly distDir: string }) => Promise<void>;

const serveScript = `import { unstable_serverEntry } from './server/index.js';

await unstable_serverEntry.serve();
`;

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

export default async function enhanceBuild(build: Build): Promise<Build> {
  return async function buildAndTidy(utils, options) {
    await build(utils, options);
    moveSourceMaps(options.distDir);
    writeFileSync(path.join(options.distDir, 'serve-node.js'), serveScript);
  };
}
