import { spawnSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * What `npm pack` puts into the tarball besides README.md: the sources that the door leads to (so no test is among them) as
 * JavaScript with their types, and the licence, which stands once, in the repository's root.
 */
const folder = path.dirname(fileURLToPath(import.meta.url));
const root = path.join(folder, '../..');
const dist = path.join(folder, 'dist');

rmSync(dist, { recursive: true, force: true });
copyFileSync(path.join(root, 'LICENSE'), path.join(folder, 'LICENSE'));
const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
const { status } = spawnSync(process.execPath, [compiler, '-p', path.join(folder, 'tsconfig.build.json')], {
  // npm reads standard output: with --json it is the description of the tarball.
  stdio: ['ignore', 2, 'inherit'],
});
if (status !== 0) process.exit(1);
// The compiler rewrites the names of imported files in JavaScript and leaves them as they are in declarations.
for (const name of readdirSync(dist).filter((file) => file.endsWith('.d.ts'))) {
  const file = path.join(dist, name);
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/ from '(\.\/[\w-]+)\.ts';/g, " from '$1.js';"));
}
