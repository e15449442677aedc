import { fileURLToPath } from 'node:url';

import { runInForeground } from '../bin/run-in-foreground.mjs';
import { ensureBuilt, ensureInstalled, findNode } from './prepare.mjs';

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
  ensureInstalled();
  ensureBuilt(node);
  return [built, 'flight'];
}

const node = findNode();
runInForeground(node, [...flags, ...chooseCommand(node), ...words], { cwd });
