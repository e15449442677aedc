import { enableCompileCache } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { runInForeground } from '../bin/run-in-foreground.mjs';
import { isAtLeast } from '../src/server/environment/is-at-least.mjs';
import { ensureBuilt, ensureServable, findNode } from './prepare.mjs';

/** It only reads sources and needs no package. So there is nothing to install or build, and nothing is written to standard output. */
const fromSources = fileURLToPath(new URL('../packages/inspect/src/flight-command/main.ts', import.meta.url));
const built = fileURLToPath(new URL('../dist/command.js', import.meta.url));
// npm starts scripts in the package's folder. A file name is relative to the folder where the person is.
const cwd = (process.env.npm_lifecycle_event === 'flight' && process.env.INIT_CWD) || process.cwd();
// Node 22.15 to 22.17 strip types only with this flag. Later ones strip them anyway, and accept the flag.
const flags = ['--experimental-strip-types', '--disable-warning=ExperimentalWarning'];
const words = process.argv.slice(2);

/** The viewer that `--html` writes is built. */
function chooseCommand(node) {
  if (!words.some((word) => /^--html(?:=|$)/.test(word))) return [fromSources];
  ensureServable();
  ensureBuilt(node);
  return [built, 'flight'];
}

/** What Node made of 160 modules: a small payload takes half the time. Not in a folder for temporary files, where others write. */
const cache = fileURLToPath(new URL('../node_modules/.cache/flight-recorder-compiled', import.meta.url));

const node = findNode();
const [file, ...first] = chooseCommand(node);
if (node === process.execPath && isAtLeast(process.version, '24')) {
  // In this process: a second one would take as long as the start of Node.
  process.chdir(cwd);
  process.argv = [node, file, ...first, ...words];
  enableCompileCache(process.env.NODE_COMPILE_CACHE ?? cache);
  await import(pathToFileURL(file).href);
} else {
  const env = { NODE_COMPILE_CACHE: cache, ...process.env };
  runInForeground(node, [...flags, file, ...first, ...words], { cwd, env });
}
