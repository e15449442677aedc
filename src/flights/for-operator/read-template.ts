import 'server-only';

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

import { requireOperator } from '#src/access/require-operator.ts';

import { templateFile, unpackTemplate } from '../one-file-template/template-file.ts';
import { findServerFolder } from './server-folder.ts';

let known: Promise<string> | undefined;

/** A file of a third of a megabyte. */
const maxTemplateBytes = 4 * 1024 * 1024;

async function read(): Promise<string> {
  if (import.meta.env.PROD) return unpackTemplate(await readFile(path.join(findServerFolder(), templateFile)));
  // In development there is no build: it is made when it is wanted first, which takes seconds.
  const script = path.join(import.meta.dirname, '../one-file-template/print-template.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [script], {
    env: { NODE_ENV: 'production' },
    maxBuffer: maxTemplateBytes,
  });
  return stdout;
}

/** The HTML file that flights are saved in, before anything is in it. */
export function readTemplate(): Promise<string> {
  requireOperator();
  known ??= read();
  // Who asks next tries again.
  known.catch(() => (known = undefined));
  return known;
}
