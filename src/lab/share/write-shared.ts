import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { mayBeMade, type SharedExperiment } from './read-shared.ts';

type File = SharedExperiment['files'][number];

type Plan =
  /** What is to be written; what is there already and the same is left out. */
  | { readonly kind: 'write'; readonly files: readonly File[] }
  /** `reason` is a sentence. */
  | { readonly kind: 'refused'; readonly reason: string };

/** As a file was saved: without blank lines at its end. */
function isSame(file: string, text: string): boolean {
  return readFileSync(file, 'utf8').trimEnd() === text.trimEnd();
}

/** What of an experiment would be written into a folder. Nothing is: a person is asked first. */
export function planShared(folder: string, experiment: SharedExperiment): Plan {
  const missing: File[] = [];
  for (const one of experiment.files) {
    const whole = path.join(folder, one.file);
    if (existsSync(whole)) {
      if (isSame(whole, one.text)) continue;
      return { kind: 'refused', reason: `${one.file} is there already, and is another one. Nothing was written.` };
    }
    if (!mayBeMade(one.file, experiment)) {
      return {
        kind: 'refused',
        reason: `${one.file} would stand in another experiment's folder. Nothing was written.`,
      };
    }
    missing.push(one);
  }
  return missing.length > 0
    ? { kind: 'write', files: missing }
    : { kind: 'refused', reason: 'The experiment is there already, as it is in the file.' };
}

/** @throws where a file came into being meanwhile: none is written over */
export function writeShared(folder: string, files: readonly File[]): void {
  for (const { file, text } of files) {
    const whole = path.join(folder, file);
    mkdirSync(path.dirname(whole), { recursive: true });
    writeFileSync(whole, `${text.trimEnd()}\n`, { flag: 'wx' });
  }
}
