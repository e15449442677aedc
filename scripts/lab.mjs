import { copyFileSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';

import { fail, root } from './prepare.mjs';

/**
 * The dev server with the experiments of one's own folder, first in the list of the lab. Without a folder: those of src/lab.
 */
const usage = 'npm run lab -- [folder] [--example]';
const example = path.join(root, 'src/lab/list/example/hello.tsx');

const args = process.argv.slice(2);
const unknown = args.find((arg) => arg.startsWith('-') && arg !== '--example');
if (unknown !== undefined) fail(`${unknown} is unknown: ${usage}`);
const [given, ...others] = args.filter((arg) => !arg.startsWith('-'));
if (others.length > 0) fail(`one folder, please: ${usage}`);
const wantsExample = args.includes('--example');
if (wantsExample && given === undefined) fail(`--example needs a folder: ${usage}`);

/** npm runs this in the clone, and says where it was called. */
function readFolder(name) {
  const folder = path.resolve(process.env.INIT_CWD ?? process.cwd(), name);
  if (existsSync(folder)) {
    if (!statSync(folder).isDirectory()) fail(`${folder} is a file; name the folder that it is in`);
  } else {
    if (!wantsExample) fail(`there is no folder ${folder}; make it, or add --example for a new one with a first file`);
    mkdirSync(folder, { recursive: true });
  }
  if (wantsExample) {
    const file = path.join(folder, 'hello.tsx');
    if (readdirSync(folder).length > 0) fail(`${folder} is not empty; --example is for a new folder`);
    copyFileSync(example, file);
  }
  return folder;
}

if (given !== undefined) process.env.LAB_FOLDER = readFolder(given);
process.stderr.write(`The lab: http://${process.env.HOST ?? '127.0.0.1'}:${process.env.PORT ?? '3000'}/lab\n`);
await import('./dev.mjs');
