import path from 'node:path';

import { decompressHere, maxFlightBytes, readOneFile } from '#flight';

/**
 * An experiment out of a file that somebody sent: “Save as one file” on its page has its sources as texts. Nothing of it is run or
 * written here. Whoever made the file may have been anybody, so every name is checked: a file belongs right into the folder, or into
 * the folder with the experiment's name.
 */
export type SharedExperiment = {
  readonly title: string;
  /** The experiment's own file first; `file` is from the folder of experiments. */
  readonly files: readonly { readonly file: string; readonly text: string }[];
};

type SharedResult =
  | { readonly kind: 'experiment'; readonly experiment: SharedExperiment }
  /** `reason` ends a sentence that begins with the file's name. */
  | { readonly kind: 'none'; readonly reason: string };

/** The largest experiment here has nine files, of 3 kB at most. */
const mostFiles = 50;
const longestText = 256 * 1024;
const longestName = 200;
const deepest = 5;

const mark = 'Source of ';
const part = /^(?:[\w-][\w.-]*|\[[\w.-]+\]|\([\w-]+\))(?:\.[jt]sx?)?$/;
const script = /(?<!\.test|\.spec|\.d)\.[jt]sx?$/;
const own = /^[A-Za-z0-9][A-Za-z0-9-]*\.[jt]sx$/;

function isName(file: string): boolean {
  const parts = file.split('/');
  return (
    file.length <= longestName && parts.length <= deepest && parts.every((one) => part.test(one)) && script.test(file)
  );
}

function belongs(file: string, first: string): boolean {
  return !file.includes('/') || file.startsWith(`${first.replace(/\.[jt]sx$/, '')}/`);
}

function none(reason: string): SharedResult {
  return { kind: 'none', reason };
}

function readFiles(title: string, named: readonly { readonly file: string; readonly text: string }[]): SharedResult {
  const [first] = named;
  if (!first) return none('has no experiment in it: no source was saved with it');
  const base = path.posix.dirname(first.file);
  const files = named.map(({ file, text }) => ({ file: path.posix.relative(base, file), text }));
  const name = files[0]?.file ?? '';
  if (!own.test(name)) {
    return none(`has an experiment whose name is none: ${JSON.stringify(name.slice(0, longestName))}`);
  }
  if (files.length > mostFiles) return none(`has ${files.length} sources; an experiment has ${mostFiles} at most`);
  const wrong = files.find(({ file }) => !isName(file));
  if (wrong) return none(`has a source that belongs nowhere: ${JSON.stringify(wrong.file.slice(0, longestName))}`);
  const long = files.find(({ text }) => text.length > longestText);
  if (long) return none(`has a source of more than 256 KiB: ${long.file}`);
  return { kind: 'experiment', experiment: { title, files } };
}

/** @param html the text of the file */
export async function readShared(html: string): Promise<SharedResult> {
  if (html.length > maxFlightBytes) return none('is larger than 64 MiB');
  const read = await readOneFile(html, decompressHere);
  if (read.kind === 'malformed') return none(`is no file with an experiment in it: ${read.reason}`);
  const { title, texts } = read.file;
  const named = texts.flatMap((one) =>
    one.title.startsWith(mark) ? [{ file: one.title.slice(mark.length), text: one.text }] : [],
  );
  return readFiles(title, named);
}

/** Whether a file that is not there yet may be made: other experiments' folders, and the lab's own, are not for it. */
export function mayBeMade(file: string, { files: [first] }: SharedExperiment): boolean {
  return first !== undefined && belongs(file, first.file);
}
