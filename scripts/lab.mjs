import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline/promises';

import { fail, root } from './prepare.mjs';

/**
 * The dev server with the experiments of one's own folder, first in the list of the lab. Without a folder: those of src/lab. With a
 * file that an experiment was saved in: those of src/lab, with that one, after somebody has agreed to it.
 */
const usage = 'npm run lab -- [folder] [--example], or npm run lab -- <experiment.html> [--yes]';
const example = path.join(root, 'src/lab/list/example/hello.tsx');

const args = process.argv.slice(2);
const unknown = args.find((arg) => arg.startsWith('-') && arg !== '--example' && arg !== '--yes');
if (unknown !== undefined) fail(`${unknown} is unknown: ${usage}`);
const [given, ...others] = args.filter((arg) => !arg.startsWith('-'));
if (others.length > 0) fail(`one folder or file, please: ${usage}`);
const wantsExample = args.includes('--example');
if (wantsExample && given === undefined) fail(`--example needs a folder: ${usage}`);

/** npm runs this in the clone, and says where it was called. */
function findGiven(name) {
  return path.resolve(process.env.INIT_CWD ?? process.cwd(), name);
}

function readFolder(name) {
  const folder = findGiven(name);
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

/** A source is code: it runs when its page is opened. So nothing is written before somebody says so. */
async function agree() {
  if (args.includes('--yes')) return true;
  if (!process.stdin.isTTY) fail('nobody is there to ask: read the sources, then add --yes. Nothing was written');
  const asked = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await asked.question('Write it? (yes/no) ');
  asked.close();
  return /^y(?:es)?$/i.test(answer.trim());
}

async function takeShared(name) {
  const file = findGiven(name);
  if (!existsSync(file)) fail(`there is no file ${file}`);
  const { readShared } = await import('../src/lab/share/read-shared.ts');
  const { planShared, writeShared } = await import('../src/lab/share/write-shared.ts');
  const shared = await readShared(readFileSync(file, 'utf8'));
  if (shared.kind === 'none') fail(`${path.basename(file)} ${shared.reason}`);
  const folder = path.join(root, 'src/lab');
  const plan = planShared(folder, shared.experiment);
  if (plan.kind === 'refused') fail(plan.reason);
  const lines = [
    `${path.basename(file)} has ${JSON.stringify(shared.experiment.title)}. These files are to be written:`,
    ...plan.files.map(({ file: own, text }) => `  src/lab/${own}  ${text.split('\n').length} lines`),
    'They are code that somebody wrote. It runs on this machine, with your rights, when the lab opens the experiment.',
    'Read it first: the file shows its sources when you open it in a browser.',
  ];
  process.stderr.write(`${lines.join('\n')}\n`);
  if (!(await agree())) fail('nothing was written');
  writeShared(folder, plan.files);
}

if (given !== undefined && /\.html?$/i.test(given)) await takeShared(given);
else if (given !== undefined) process.env.LAB_FOLDER = readFolder(given);
const { origin } = await import('./dev.mjs');
process.stderr.write(`The lab: ${origin}/lab\n`);
