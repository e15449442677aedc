import { readFileSync } from 'node:fs';

import { parseSync } from 'vite';

import type { SaveProblem } from './save-messages.ts';

/**
 * The experiments' files as they were when they could last be read. A save in the middle of a word is no experiment: until the
 * next good one, the dev server goes on with what was there before, in all environments, and a page that shows it loses nothing.
 */
export type GoodTexts = Map<string, string>;

/** Those of this dev server. */
export const goodTexts: GoodTexts = new Map();

function findProblem(file: string, text: string): SaveProblem | undefined {
  // An editor that writes in two steps is seen between them.
  if (text.trim() === '') return { message: 'The file is empty', file, line: undefined };
  const [error] = parseSync(file, text).errors;
  if (!error) return undefined;
  const line = text.slice(0, error.labels[0]?.start ?? 0).split('\n').length;
  return { message: `SyntaxError: ${error.message}`, file, line };
}

export type GoodFile = {
  /** The last good text; the text itself when there was none. */
  readonly text: string;
  /** What is wrong with the file as it is. */
  readonly problem: SaveProblem | undefined;
  /** Whether `text` is an earlier one. */
  readonly isKept: boolean;
};

/** @throws when the file cannot be read */
export function readGoodFile(file: string, texts = goodTexts): GoodFile {
  const text = readFileSync(file, 'utf8');
  const problem = findProblem(file, text);
  if (!problem) {
    texts.set(file, text);
    return { text, problem, isKept: false };
  }
  const kept = texts.get(file);
  return { text: kept ?? text, problem, isKept: kept !== undefined };
}

/** A file that is made again begins anew. */
export function forgetFile(file: string): void {
  goodTexts.delete(file);
}
