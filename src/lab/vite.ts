import path from 'node:path';

import { normalizePath, type Plugin } from 'vite';

import { goodTexts, readGoodFile } from './saves/good-files.ts';
import { noteFacts, printedLive } from './list/live-facts.ts';
import { readExperiments, type ExperimentFolder, type ReadExperiment } from './list/read-experiments.ts';

/**
 * Makes the list of experiments from their files: `virtual:flight-recorder/experiments`, for the server alone. The files are
 * read by the bundler's parser and not run, so one that is broken is listed with its problem and breaks nothing else.
 *
 * In development a new file, a deletion, and what changes which pages there are make the list anew, and with it the server. What a
 * file says about itself is read live (list/live-facts.ts): a new title then costs no more than another word, and a save that
 * throws meets the same server as one that does not.
 */
const experimentsModule = 'virtual:flight-recorder/experiments';
const resolvedModule = `\0${experimentsModule}`;

export type LabOptions = {
  /** Folders with one file for each experiment, from the project's folder or absolute. A missing one has none. */
  readonly folders: readonly (string | ExperimentFolder)[];
};

/** In development what is imported is no part of the graph: a change of an experiment then leaves the list and the server as they are. */
function printImport(file: string, isDev: boolean): string {
  return isDev ? `() => load(${JSON.stringify(file)})` : `() => import(${JSON.stringify(file)})`;
}

function printPages(pages: ReadExperiment['pages'], isDev: boolean): string {
  const entries = Object.entries(pages).map(([file, whole]) => `${JSON.stringify(file)}: ${printImport(whole, isDev)}`);
  return `{ ${entries.join(', ')} }`;
}

function printExperiment(experiment: ReadExperiment): string {
  const {
    path: file,
    pages,
    problem,
    render,
    fails,
    sourcePaths: _,
    isKept: _kept,
    isPart: _part,
    ...facts
  } = experiment;
  const state = problem === undefined ? { status: 'working', render, fails } : { status: 'broken', problem };
  const printed = JSON.stringify({ ...facts, ...state }).slice(1, -1);
  if (problem !== undefined) return `{ ${printed} }`;
  return `{ ${printed}, load: ${printImport(file, false)}, pages: ${printPages(pages, false)} }`;
}

/** Only what decides which pages there are. */
function printLive({ path: file, name, pages, problem, render, isKept }: ReadExperiment): string {
  const isBroken = problem !== undefined && !isKept;
  const state = isBroken ? { name, status: 'broken', kind: problem.kind } : { name, status: 'working', render };
  const fixed = JSON.stringify(state).slice(1, -1);
  if (isBroken) return `live(${JSON.stringify(file)}, { ${fixed} })`;
  const load = `load: ${printImport(file, true)}, pages: ${printPages(pages, true)}`;
  return `live(${JSON.stringify(file)}, { ${fixed}, ${load} })`;
}

const helpersOfDev = `function load(file) {
  return import(/* @vite-ignore */ file);
}
${printedLive}`;

export function labExperiments({ folders }: LabOptions): Plugin {
  let root = process.cwd();
  let isDev = false;
  let found: readonly ExperimentFolder[] = [];
  /** The list as it was loaded last, and the files that it imports. */
  let listed = '';
  let imported: ReadonlySet<string> = new Set();

  function printList(): string {
    const read = readExperiments(root, found, goodTexts);
    imported = new Set(read.flatMap(({ path: file, pages }) => [file, ...Object.values(pages)].map(normalizePath)));
    noteFacts(read);
    const printed = isDev ? read.map(printLive) : read.map(printExperiment);
    const own = JSON.stringify(found.find(({ isOwn }) => isOwn)?.group);
    return `export const experiments = [\n${printed.join(',\n')}\n];\nexport const ownGroup = ${own};\n`;
  }

  function isExperimentFile(file: string): boolean {
    return /\.[jt]sx$/.test(file) && found.some(({ folder }) => path.relative(folder, file) === path.basename(file));
  }

  function holds(file: string): boolean {
    return found.some(({ folder }) => file.startsWith(`${folder}${path.sep}`) || file.startsWith(`${folder}/`));
  }

  return {
    name: 'flight-recorder:lab-experiments',
    sharedDuringBuild: true,
    configResolved(config) {
      root = config.root;
      isDev = config.command === 'serve';
      found = folders.map((entry) => {
        const named = typeof entry === 'string' ? { folder: entry, group: path.basename(entry) } : entry;
        return { ...named, folder: path.resolve(root, named.folder) };
      });
    },
    configureServer({ watcher }) {
      watcher.add(found.map(({ folder }) => folder));
    },
    resolveId: (id) => (id === experimentsModule ? resolvedModule : undefined),
    load(id) {
      if (id !== resolvedModule) return undefined;
      // It holds all sources. Elsewhere it is only resolved: in dev, Vite looks for dependencies in the pages, too.
      if (this.environment.name !== 'rsc') return this.error(`${experimentsModule} is for the server alone`);
      listed = printList();
      return { code: isDev ? helpersOfDev + listed : listed, map: null };
    },
    // What nothing imports would otherwise make the whole server begin anew when it changes.
    transform(code, id) {
      const isListed = isDev && this.environment.name === 'rsc' && imported.has(normalizePath(id));
      return isListed ? { code: `${code}\nif (import.meta.hot) import.meta.hot.accept();\n`, map: null } : undefined;
    },
    hotUpdate({ file, modules, type }) {
      if (this.environment.name !== 'rsc' || !holds(file)) return undefined;
      const list = this.environment.moduleGraph.getModuleById(resolvedModule);
      if (!list) return undefined;
      // What a file is for others stays the same at most saves.
      const changed = printList() === listed ? [] : [list];
      for (const module of changed) this.environment.moduleGraph.invalidateModule(module);
      // plugin-rsc compiles what changed, and would stop at a syntax error before the list could say so.
      if (type !== 'delete' && isExperimentFile(file) && readGoodFile(file).problem) return changed;
      return changed.length === 0 || modules.includes(list) ? undefined : [...modules, list];
    },
  };
}
