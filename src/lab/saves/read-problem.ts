import 'server-only';

import { readFileSync } from 'node:fs';

import { recallCause } from '#src/runtime/errors/dev-causes.ts';
import type { Cause } from '#src/runtime/errors/describe-cause.ts';

import type { SaveProblem } from './save-messages.ts';

/** The first place of a stack in a file of somebody's own. */
const place = /(?:\(|at (?:async )?|file:\/\/)((?:\/|[A-Za-z]:[\\/])[^\n:]*?(?<!node_modules)):(\d+):\d+\)?$/gm;

/** A stack names a file as it is or, with a space in its path, as an address does. */
function findFile(named: string): string | undefined {
  for (const read of [(name: string) => name, decodeURI]) {
    try {
      const file = read(named);
      readFileSync(file);
      return file;
    } catch {
      // It is no such file, or no address.
    }
  }
  return undefined;
}

function findPlace({ stack = '' }: Cause): { file: string; line: number } | undefined {
  for (const [, named = '', line] of stack.matchAll(place)) {
    const file = /[\\/]node_modules[\\/]/.test(named) ? undefined : findFile(named);
    if (file !== undefined) return { file, line: Number(line) };
  }
  return undefined;
}

/** What kept a save from being rendered, by the digest of its first error. */
export function readProblem(digest: string | undefined, status: number): SaveProblem {
  const cause = recallCause(digest);
  if (!cause) return { message: `The experiment was answered with status ${status}`, file: undefined, line: undefined };
  const found = cause.place ?? findPlace(cause);
  return { message: cause.title, file: found?.file, line: found?.line };
}
