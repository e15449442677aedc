import 'server-only';

import { readFileSync } from 'node:fs';

import { describeCause, type Cause, type Place } from './describe-cause.ts';
import { listCauses } from './error-record.ts';

/** The causes of the newest digests, for the error pages of development. */
const causesKept = 50;
const linesAround = 2;
const causes = new Map<string, Cause>();

function drawFrame({ file, line, column }: Place): string | undefined {
  let code: string;
  try {
    code = readFileSync(file, 'utf8');
  } catch {
    // A module that is not a file. Its name and position are shown all the same.
    return undefined;
  }
  const first = Math.max(1, line - linesAround);
  const lines = code.split('\n').slice(first - 1, line + linesAround);
  const width = String(first + lines.length).length;
  return lines
    .flatMap((text, index) => {
      const number = first + index;
      const shown = `${number === line ? '>' : ' '} ${String(number).padStart(width)} | ${text}`;
      return number === line ? [shown, `  ${' '.repeat(width)} | ${' '.repeat(Math.max(0, column - 1))}^`] : [shown];
    })
    .join('\n');
}

/**
 * Called before React reads the stacks of `thrown` and of its causes. Whoever is first to read decides whether Node translates
 * them to the sources, so they are all read here.
 */
export function rememberCause(digest: string, thrown: unknown): void {
  listCauses(thrown);
  const cause = describeCause(thrown);
  const frame = cause.frame ?? (cause.place && drawFrame(cause.place));
  causes.set(digest, { ...cause, frame });
  const oldest = causes.keys().next().value;
  if (causes.size > causesKept && oldest !== undefined) causes.delete(oldest);
}

export function recallCause(digest: string | undefined): Cause | undefined {
  return digest === undefined ? undefined : causes.get(digest);
}
