import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import type { Experiment, ExperimentProblem, ExperimentSource } from './experiment.ts';
import { readGoodFile, type GoodFile, type GoodTexts } from '../saves/good-files.ts';
import { parseExperiment, type ParsedFile } from './parse-experiment.ts';

/** A folder of experiments, anywhere. */
export type ExperimentFolder = {
  readonly folder: string;
  /** Of experiments that name no group. */
  readonly group: string;
  /** Somebody's own, of `npm run lab`: all its experiments are in this group, the first of the list. */
  readonly isOwn?: true;
};

/** An experiment as it is on disk: paths in place of what imports them. */
export type ReadExperiment = Omit<
  Extract<Experiment, { status: 'working' }>,
  'status' | 'load' | 'pages' | 'problem'
> & {
  readonly path: string;
  /** The files of `sources`, whole. */
  readonly sourcePaths: readonly string[];
  /** By their path below its folder for pages. */
  readonly pages: Readonly<Record<string, string>>;
  readonly problem: ExperimentProblem | undefined;
  /** It has no default export. What experiments share has none, and is not listed; this one is imported by none. */
  readonly isPart: boolean;
  /** In dev: it is as it was before its file broke. */
  readonly isKept: boolean;
};

const source = /\.[jt]sx?$/;
const experiment = /(?<!\.test)\.[jt]sx$/;
const validName = /^[A-Za-z0-9][A-Za-z0-9-]*$/;
/** Have an address of their own below `/lab`. */
const reservedNames = new Set(['index', 'about', 'flaky']);
const last = Number.MAX_SAFE_INTEGER;

function toPosix(file: string): string {
  return file.replaceAll('\\', '/');
}

function isInside(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return relative !== '' && !relative.startsWith('..') && !path.isAbsolute(relative);
}

/** For a person: no path of this machine. */
function nameFile(root: string, folder: string, file: string): string {
  return toPosix(isInside(root, file) ? path.relative(root, file) : path.relative(path.dirname(folder), file));
}

/** An import as it is written may leave the ending out, or name a folder. */
function findImported(from: string, request: string): string | undefined {
  if (!request.startsWith('.')) return undefined;
  const whole = path.resolve(path.dirname(from), request.split('?')[0] ?? request);
  const endings = ['', '.tsx', '.ts', '.jsx', '.js', '/index.tsx', '/index.ts'];
  return endings.map((ending) => whole + ending).find((file) => source.test(file) && existsSync(file));
}

/** The files of one experiment: its own, then what it imports from its folder, in the order of the imports. */
function listFiles(folder: string, first: string, pages: readonly string[], texts: GoodTexts): readonly string[] {
  const found = new Set<string>();
  const waiting = [first, ...pages];
  for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
    if (found.has(file)) continue;
    found.add(file);
    const from = file;
    for (const request of parseExperiment(file, readGoodFile(file, texts).text).imports) {
      const imported = findImported(from, request);
      if (imported !== undefined && isInside(folder, imported)) waiting.push(imported);
    }
  }
  return [...found];
}

function listPages(folder: string, name: string): Readonly<Record<string, string>> {
  const pages = path.join(folder, name, 'pages');
  const files = globSync('**/*.{tsx,jsx}', { cwd: pages }).filter((file) => experiment.test(file));
  return Object.fromEntries(files.toSorted().map((file) => [toPosix(file), path.join(pages, file)]));
}

function readFile(
  root: string,
  { folder, group, isOwn }: ExperimentFolder,
  file: string,
  texts: GoodTexts,
): ReadExperiment | undefined {
  const name = file.replace(experiment, '');
  const whole = path.join(folder, file);
  const shown = nameFile(root, folder, whole);
  const good = readGoodFile(whole, texts);
  const read: ParsedFile = parseExperiment(shown, good.text);
  if (read.kind === 'part' && read.isMarked) return undefined;
  const { parsed } = read;
  const pages = listPages(folder, name);
  const sourcePaths = listFiles(folder, whole, Object.values(pages), texts);
  const sources: readonly ExperimentSource[] = sourcePaths.map((part) => ({
    file: nameFile(root, folder, part),
    source: readFileSync(part, 'utf8'),
  }));
  return {
    isPart: read.kind === 'part',
    name,
    file: shown,
    path: whole,
    title: parsed?.title || name,
    isUntitled: parsed?.title === '',
    happens: parsed?.happens ?? '',
    lookFor: parsed?.lookFor ?? '',
    group: isOwn ? group : (parsed?.group ?? group),
    order: parsed?.order ?? last,
    render: parsed?.render ?? 'dynamic',
    fails: parsed?.fails ?? false,
    sources,
    sourcePaths,
    pages,
    problem: problemOf(read) ?? describeKept(good, shown),
    isKept: good.isKept && read.kind === 'experiment',
  };
}

/** What is wrong with a file that is shown as it was before. */
function describeKept({ isKept, problem }: GoodFile, file: string): ExperimentProblem | undefined {
  if (!isKept || !problem) return undefined;
  return { kind: 'syntax', file, message: problem.message.replace(/^SyntaxError: /, ''), line: problem.line ?? 1 };
}

function problemOf(read: ParsedFile): ExperimentProblem | undefined {
  switch (read.kind) {
    case 'experiment':
      return undefined;
    case 'broken':
      return read.problem;
    // Nothing imports it: it is not shared, it was meant.
    case 'part':
      return { kind: 'no-default' };
  }
}

/** What experiments share is listed nowhere: a part that one of them imports. */
function dropShared(read: readonly ReadExperiment[]): readonly ReadExperiment[] {
  const imported = new Set(
    read
      .filter(({ isPart }) => !isPart)
      .flatMap(({ path: own, sourcePaths }) => sourcePaths.filter((file) => file !== own)),
  );
  return read.filter(({ isPart, path: file }) => !isPart || !imported.has(file));
}

/** An address like `name` that no other experiment has. */
function findFreeName(name: string, taken: ReadonlyMap<string, string>): string {
  const like = name.replaceAll(/[^A-Za-z0-9]+/g, '-').replaceAll(/^-|-$/g, '') || 'experiment';
  let free = like;
  for (let count = 2; taken.has(free) || reservedNames.has(free); count++) free = `${like}-${count}`;
  return free;
}

/** A file whose name is no address, or another's, is not shown; its page, which says so, has an address like it. */
function giveNames(read: readonly ReadExperiment[]): readonly ReadExperiment[] {
  const taken = new Map<string, string>();
  // What is no experiment takes no experiment's name.
  for (const { name, file } of read.toSorted((one, other) => Number(one.isPart) - Number(other.isPart))) {
    if (validName.test(name) && !reservedNames.has(name) && !taken.has(name)) taken.set(name, file);
  }
  return read.map((found) => {
    const { name, file } = found;
    const by = taken.get(name);
    if (by === file) return found;
    const free = findFreeName(name, taken);
    taken.set(free, file);
    const rename = `${free}${path.extname(file)}`;
    const problem: ExperimentProblem =
      by === undefined ? { kind: 'bad-name', file, rename } : { kind: 'name-taken', file, by, rename };
    return { ...found, name: free, isKept: false, problem };
  });
}

/**
 * All experiments of all folders, in the order of folders and files. Of two with one name, that of the earlier folder has the page.
 * @param texts of files as they were when they could last be read: a syntax error in dev takes nothing away
 */
export function readExperiments(
  root: string,
  folders: readonly ExperimentFolder[],
  texts: GoodTexts = new Map(),
): readonly ReadExperiment[] {
  const found = folders.flatMap((folder) => {
    if (!existsSync(folder.folder)) return [];
    const files = readdirSync(folder.folder).filter((name) => experiment.test(name));
    return dropShared(files.toSorted().flatMap((file) => readFile(root, folder, file, texts) ?? []));
  });
  return giveNames(found);
}
