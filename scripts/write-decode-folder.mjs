import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { templateFile, unpackTemplate } from '../src/flights/one-file-template/template-file.ts';

const dist = path.join(import.meta.dirname, '../dist');

/**
 * Writes what is built into a folder: the page, and the licences of what is in it. Runs on the Node that builds, which reads TypeScript.
 * @param {string} folder is made where there is none
 */
export function writeDecodeFolder(folder) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'index.html'), unpackTemplate(readFileSync(path.join(dist, 'server', templateFile))));
  copyFileSync(path.join(dist, 'licenses.txt'), path.join(folder, 'licenses.txt'));
}

if (process.argv[1] === import.meta.filename) {
  const folder = process.argv[2] ?? '';
  writeDecodeFolder(folder);
  process.stderr.write(
    `The page is ${path.join(folder, 'index.html')}: open it, or put the folder onto any static host.\n`,
  );
}
