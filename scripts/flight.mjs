import { fileURLToPath } from 'node:url';

import { findNode } from './prepare.mjs';
import { runInForeground } from './run.mjs';

// Reads sources and no package, so there is nothing to install or to build, and nothing to say on standard output.
const command = fileURLToPath(new URL('../src/flight-command/main.ts', import.meta.url));
// npm starts scripts in the package's folder; a file is named from where the person is.
const cwd = (process.env.npm_lifecycle_event === 'flight' && process.env.INIT_CWD) || process.cwd();
// Node 22.15 to 22.17 strip types only when asked; later ones do and take the flag as well.
const flags = ['--experimental-strip-types', '--disable-warning=ExperimentalWarning'];
runInForeground(findNode(), [...flags, command, ...process.argv.slice(2)], { cwd });
