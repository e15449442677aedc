import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';

import { root } from './prepare.mjs';

/**
 * What the tests of a stage came to. Its reporter writes it to the file that `STAGE_RESULTS` names, and the run reads it from there. A
 * stage without tests leaves no file: it is one thing that passed or failed.
 *
 * @typedef {{ readonly file: string, readonly name: string, readonly message: string }} Failure
 * @typedef {readonly Failure[]} Failures
 * @typedef {{ readonly passed: number, readonly skipped: number, readonly failures: Failures, readonly retried: Failures }} StageResults
 */

const mostCharacters = 300;

/** The first line of the message, and the seed with which fast-check tells how to repeat it. */
export function describeFailure(file, name, error) {
  const message = stripVTControlCharacters(String(error?.message ?? error ?? 'no message'));
  const [firstLine = ''] = message.split('\n');
  const seed = /\bseed: -?\d+/.exec(message)?.[0];
  const isTold = seed === undefined || firstLine.includes(seed);
  return {
    file: path.relative(root, file),
    name,
    message: (isTold ? firstLine : `${firstLine} (${seed})`).slice(0, mostCharacters),
  };
}

export function writeStageResults(results) {
  if (process.env.STAGE_RESULTS) writeFileSync(process.env.STAGE_RESULTS, JSON.stringify(results));
}

/** Takes the file away, so that no later stage is told the same. */
export function takeStageResults(file, { title, hasFailed }) {
  const results = existsSync(file)
    ? JSON.parse(readFileSync(file, 'utf8'))
    : { passed: hasFailed ? 0 : 1, skipped: 0, failures: [], retried: [] };
  rmSync(file, { force: true });
  if (!hasFailed || results.failures.length > 0) return results;
  return { ...results, failures: [{ file: '', name: title, message: 'failed; its output is above' }] };
}

function describe({ file, name, message }) {
  return [file, name, message].filter(Boolean).join(' · ');
}

/**
 * What a run ends with: what failed, what was tried again, the counts alone on the last line.
 * @returns the lines
 */
export function summarize(stages) {
  const all = (part) => stages.flatMap((stage) => stage[part]);
  const sum = (part) => stages.reduce((total, stage) => total + stage[part], 0);
  const list = (title, entries) =>
    entries.length === 0 ? [] : ['', title, ...entries.map((one) => `  ${describe(one)}`)];
  return [
    ...list('Passed when it was run once more:', all('retried')),
    ...list('Failed:', all('failures')),
    '',
    `${sum('passed')} passed, ${all('failures').length} failed, ${sum('skipped')} skipped`,
  ];
}
