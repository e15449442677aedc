import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { isRunnableDevEnvironment, normalizePath, type HotChannelClient, type Plugin, type ViteDevServer } from 'vite';

import { parseExperiment } from '../list/parse-experiment.ts';
import type { LabOptions } from '../vite.ts';
import { forgetFile, readGoodFile } from './good-files.ts';
import { isSameSave, type Measured, type SavedFile } from './is-same-save.ts';
import {
  listLeftEvent,
  listShownEvent,
  savedEvent,
  shownEvent,
  type SaveMessage,
  type SaveProblem,
} from './save-messages.ts';

/**
 * In development every save of an experiment is a measurement: this plugin sees the save, has the experiments that it touches
 * rendered (measure-save.ts, in the server's own module graph, where recorder and queries are), and tells the pages that show them.
 *
 * The browser loads its page again after the first rendering, or `holdMs` after that began to answer, when it takes longer. So a
 * save that throws does not reach the page of an experiment that has a good save: it goes on showing that one.
 *
 * It stands before plugin-rsc, whose `hotUpdate` tells the browser, and after labExperiments, which adds the list to the modules.
 */

/** A person does not notice it, and most experiments are rendered in a tenth of it. */
const holdMs = 700;
/** Compiling takes this long only on a machine that is very busy. The browser would wait for the same. */
const longestHoldMs = 10_000;
/** Vite's message to the server's own module graph is on its way by then. */
const createdMs = 200;
/** A file that many experiments share is measured with those that somebody has open, and not with more than this. */
const mostAtOnce = 4;

/** `result`: whether its first rendering was good. */
type Running = Measured & { readonly controller: AbortController; readonly result: Promise<boolean> };

type Measuring = typeof import('./measure-save.ts');

const script = /\.[cm]?[jt]sx?$/;

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

async function loadMeasuring(server: ViteDevServer): Promise<Measuring> {
  const environment = server.environments['rsc'];
  if (!environment || !isRunnableDevEnvironment(environment)) throw new Error('The rsc environment cannot be run');
  return await environment.runner.import<Measuring>(path.join(import.meta.dirname, 'measure-save.ts'));
}

function readOrigin(server: ViteDevServer): string | undefined {
  const address = server.httpServer?.address();
  if (!isRecord(address)) return undefined;
  const { host } = server.config.server;
  const isAny = typeof host !== 'string' || ['0.0.0.0', '::', 'localhost'].includes(host);
  return `http://${isAny ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host}:${String(address['port'])}`;
}

/** The experiment whose own file this is, or one of its further pages; undefined for a file that experiments share. */
function nameExperiment(folders: readonly string[], file: string): string | undefined {
  const folder = folders.find((one) => file.startsWith(`${one}/`));
  if (folder === undefined) return undefined;
  const [first = '', second, ...rest] = file.slice(folder.length + 1).split('/');
  if (second === 'pages' && rest.length > 0) return first;
  if (second !== undefined || !/(?<!\.test)\.[jt]sx$/.test(first)) return undefined;
  try {
    if (parseExperiment(file, readGoodFile(file).text).kind === 'part') return undefined;
  } catch {
    // It was deleted.
    return undefined;
  }
  return first.replace(/\.[jt]sx$/, '');
}

/** Goes from a file to all that import it, in every environment: a client component is the browser's, its experiment the server's. */
function findExperiments(server: ViteDevServer, folders: readonly string[], file: string): ReadonlySet<string> {
  const names = new Set<string>();
  const seen = new Set([file]);
  for (const from of seen) {
    const name = nameExperiment(folders, from);
    if (name !== undefined) {
      names.add(name);
      continue;
    }
    for (const { moduleGraph } of Object.values(server.environments)) {
      for (const module of moduleGraph.getModulesByFile(from) ?? []) {
        for (const importer of module.importers) if (importer.file !== null) seen.add(importer.file);
      }
    }
  }
  return names;
}

/** Renders what a save touches, one rendering of an experiment at a time, and tells the pages what came of it. */
function createMeasurer(readServer: () => ViteDevServer | undefined) {
  /** What was measured last of each experiment: given up when it is saved again. */
  const running = new Map<string, Running>();

  function send(message: SaveMessage): void {
    readServer()?.environments.client.hot.send({ type: 'custom', event: savedEvent, data: message });
  }

  /** Resolves when the first rendering is over, or `holdMs` after it began to answer: whether it was good, as far as is known. */
  async function measure(name: string, saved?: SavedFile): Promise<boolean> {
    const server = readServer();
    const origin = server && readOrigin(server);
    if (!server || origin === undefined) return true;
    const known = running.get(name);
    if (known && isSameSave(known, saved)) return await known.result;
    known?.controller.abort();
    const controller = new AbortController();
    const result = begin(server, name, origin, controller.signal);
    running.set(name, { controller, result, saved, isOver: false });
    return await result;
  }

  async function begin(started: ViteDevServer, name: string, origin: string, signal: AbortSignal): Promise<boolean> {
    const { measureSave } = await loadMeasuring(started);
    return await new Promise<boolean>((resolve) => {
      function tell(message: SaveMessage): void {
        if (!signal.aborted) send(message);
      }
      // A save that the next one took the place of is as good as that.
      function end(): void {
        const last = running.get(name);
        if (last && !signal.aborted) running.set(name, { ...last, isOver: true });
        resolve(signal.aborted ? (last?.result ?? true) : true);
      }
      const onBegun = () => void wait(holdMs, true).then(resolve);
      const onRendered = (isGood: boolean) => (signal.aborted ? undefined : resolve(isGood));
      void measureSave(name, { origin, signal, onBegun, onRendered, onMessage: tell }).finally(end);
    });
  }

  async function tellProblem(names: Iterable<string>, problem: SaveProblem, isKept: boolean): Promise<void> {
    const server = readServer();
    if (!server) return;
    const { describeSave } = await loadMeasuring(server);
    for (const name of names) {
      running.get(name)?.controller.abort();
      running.set(name, {
        controller: new AbortController(),
        result: Promise.resolve(false),
        saved: undefined,
        isOver: true,
      });
      send(await describeSave(name, { kind: 'broken', problem, isKept }));
    }
  }

  /** To a page that has just come. What the first save is compared with is measured when the first page comes. */
  async function tellShown(started: ViteDevServer, name: string): Promise<void> {
    const { readSaves } = await loadMeasuring(started);
    send(await readSaves(name));
    if (!running.has(name)) await measure(name);
  }

  /** Whether the browser may have it: not when one throws that has a good save. */
  async function measureAll(names: readonly string[], saved: SavedFile | undefined): Promise<boolean> {
    const server = readServer();
    if (!server) return true;
    const { hasGoodSave } = await loadMeasuring(server);
    const results = names.slice(0, mostAtOnce).map(async (name) => {
      const isKept = await hasGoodSave(name);
      return (await measure(name, saved)) || !isKept;
    });
    return (await Promise.all(results)).every(Boolean);
  }

  return { tellProblem, tellShown, measureAll };
}

export function measureSaves({ folders }: LabOptions): Plugin {
  let server: ViteDevServer | undefined;
  let found: readonly string[] = [];
  /** Experiments that a page of this dev server has shown. */
  const shown = new Set<string>();
  const { tellProblem, tellShown, measureAll } = createMeasurer(() => server);

  /** Pages that show the list. */
  const lists = new Set<HotChannelClient>();

  function updateLists(): void {
    for (const list of lists) list.send({ type: 'custom', event: 'rsc:update', data: {} });
  }

  function holds(file: string): boolean {
    return found.some((folder) => file.startsWith(`${folder}/`));
  }

  return {
    name: 'flight-recorder:measure-saves',
    apply: 'serve',
    configResolved({ root }) {
      found = folders.map((entry) =>
        normalizePath(path.resolve(root, typeof entry === 'string' ? entry : entry.folder)),
      );
    },
    configureServer(started) {
      server = started;
      const { hot } = started.environments.client;
      hot.on(listShownEvent, (_, client) => void lists.add(client));
      hot.on(listLeftEvent, (_, client) => void lists.delete(client));
      hot.on('vite:client:disconnect', (_, client) => void lists.delete(client));
      hot.on(shownEvent, (name: unknown) => {
        if (typeof name !== 'string' || !/^[\w-]{1,100}$/.test(name)) return;
        shown.add(name);
        void tellShown(started, name);
      });
    },
    load(id) {
      const file = normalizePath(id);
      if (!script.test(file) || !holds(file)) return undefined;
      const { text, isKept } = readGoodFile(file);
      return isKept ? { code: text, map: null } : undefined;
    },
    async hotUpdate({ file, modules, type, read: readText }) {
      if (this.environment.name !== 'rsc' || !server) return undefined;
      if (type === 'delete') forgetFile(file);
      const isOwn = holds(file);
      const names = findExperiments(server, found, file);
      const wanted = [...names].filter((name) => isOwn || shown.has(name));
      if (wanted.length === 0) return undefined;
      const read = type !== 'delete' && isOwn && script.test(file) ? readGoodFile(file) : undefined;
      if (read?.problem) {
        void tellProblem(wanted, read.problem, read.isKept);
        updateLists();
        return read.isKept ? modules.filter((module) => module.file !== file) : undefined;
      }
      const saved = type === 'update' ? { file, text: await readText() } : undefined;
      if (type === 'create' || modules.some((module) => module.file !== file)) {
        // The list and with it the server and its recorder are made anew first: a rendering meanwhile would not be recorded.
        void wait(createdMs).then(() => measureAll(wanted, saved));
        return undefined;
      }
      if (await Promise.race([measureAll(wanted, saved), wait(longestHoldMs, true)])) return undefined;
      updateLists();
      return [];
    },
  };
}
