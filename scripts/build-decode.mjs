import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { runInForeground } from '../bin/run-in-foreground.mjs';
import { ensureBuilt, ensureServable, fail, findNode } from './prepare.mjs';

/** The page /decode as a folder for any static host. It needs no server and works from a disk. */
const usage = 'npm run build:decode -- [folder]';

const [given = 'build/decode', ...others] = process.argv.slice(2);
if (others.length > 0 || given.startsWith('-')) fail(`one folder, please: ${usage}`);
// npm runs this in the clone, and says where it was called.
const folder = path.resolve(process.env.INIT_CWD ?? process.cwd(), given);
ensureServable();
const node = findNode();
ensureBuilt(node);
runInForeground(node, [fileURLToPath(new URL('write-decode-folder.mjs', import.meta.url)), folder]);
