import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import type { PluginApi } from '@vitejs/plugin-rsc';
import type { Plugin, ResolvedConfig } from 'vite';

import { formatSources, referenceSourcesFile } from './reference-sources.ts';

/** A thread of this app: the module that starts it, and the URL of its file there. */
export type BundledThread = {
  /** Below `src`, without what its name ends in: the plugin for other apps ships as JavaScript. */
  readonly owner: string;
  /** As `new URL('…', import.meta.url)` has it. */
  readonly url: string;
  /** Its file's name in the build. */
  readonly file: string;
};

const recorder: BundledThread = {
  owner: 'flights/recorder/write-flights',
  url: '../writer/writer-thread.ts',
  file: 'recorder-thread.js',
};

const sourceFolder = fileURLToPath(new URL('../../', import.meta.url));

function isOwner({ owner }: BundledThread, id: string): boolean {
  const file = path.relative(sourceFolder, id.split('?')[0] ?? id).replaceAll('\\', '/');
  return file.replace(/\.[jt]s$/, '') === owner;
}

/** The thread's URL in its owner's code, with the quotes of the source or of the compiler. */
function findUrl({ url }: BundledThread, code: string): string | undefined {
  return [`'${url}'`, `"${url}"`].find((text) => code.includes(text));
}

function placeholderOf({ file }: BundledThread): string {
  return `__FLIGHT_THREAD_${file}__`;
}

/** @param file the thread's, from the folder that the names of chunks are from */
function setUrl(
  thread: BundledThread,
  code: string,
  chunkName: string,
  file: string,
): { code: string; map: null } | undefined {
  const placeholder = placeholderOf(thread);
  if (!code.includes(placeholder)) return undefined;
  const relative = path.posix.relative(path.posix.dirname(chunkName), file);
  const url = relative.startsWith('.') ? relative : `./${relative}`;
  return { code: code.replaceAll(placeholder, url), map: null };
}

/**
 * A thread is a file of its own in the build. In development and in tests the URL in its owner is the source itself, which Node
 * runs as it is; in the build it becomes that of the emitted file, relative to the chunk that has the module. The build fails when
 * the URL was not found: otherwise a server whose thread cannot start would be noticed too late.
 */
export function bundledThread(thread: BundledThread): Plugin {
  const { owner, url, file } = thread;
  let isMet = false;
  return {
    name: `flight-recorder:${file}`,
    enforce: 'pre',
    sharedDuringBuild: true,
    applyToEnvironment: (environment) => environment.name === 'rsc',
    transform(code, id) {
      if (this.environment.mode !== 'build' || !isOwner(thread, id)) return undefined;
      const written = findUrl(thread, code);
      if (written === undefined) return this.error(`flights/recorder/vite.ts: ${url} is not in ${id} any more`);
      this.emitFile({ type: 'chunk', id: path.resolve(sourceFolder, path.dirname(owner), url), fileName: file });
      return { code: code.replace(written, `'${placeholderOf(thread)}'`), map: null };
    },
    renderChunk(code, chunk) {
      const changed = setUrl(thread, code, chunk.fileName, file);
      isMet ||= changed !== undefined;
      return changed;
    },
    // Not called by the builds that only look for references, which drop all code.
    writeBundle() {
      if (!isMet) this.error(`flights/recorder/vite.ts: the URL of ${file} was not found in any chunk`);
    },
  };
}

/** The thread that writes flights. */
export function recorderThread(): Plugin {
  return bundledThread(recorder);
}

/**
 * For a bundle beside the server's, in `dist` itself: its thread is the one that the server's build has made.
 */
export function recorderThreadOfServer(): Plugin {
  return {
    name: 'flight-recorder:recorder-thread-of-server',
    enforce: 'pre',
    transform(code, id) {
      if (!isOwner(recorder, id)) return undefined;
      const written = findUrl(recorder, code);
      if (written === undefined) return this.error(`recorder/vite.ts: ${recorder.url} is not in ${id} any more`);
      return { code: code.replace(written, `'${placeholderOf(recorder)}'`), map: null };
    },
    renderChunk: (code, chunk) => setUrl(recorder, code, chunk.fileName, `server/${recorder.file}`),
  };
}

/** A module's file from the project's folder, or from `node_modules`: never a path of the machine that built it. */
export function nameSource(id: string, root: string): string {
  const file = (id.split('?')[0] ?? id).replaceAll('\\', '/');
  const inPackage = file.lastIndexOf('/node_modules/');
  if (inPackage >= 0) return file.slice(inPackage + '/node_modules/'.length);
  return path.posix.relative(root.replaceAll('\\', '/'), file);
}

/** plugin-rsc's own way of giving it: imported from there, it would be another installation's. */
function findReferences(config: ResolvedConfig): PluginApi['manager'] | undefined {
  const found: { api?: PluginApi } | undefined = config.plugins.find(({ name }) => name === 'rsc:minimal');
  return found?.api?.manager;
}

/**
 * In a build, client modules and server actions travel under hashes of their paths. This writes down which is which
 * (for-operator/sources.ts reads it), from plugin-rsc's own list, at the end of the server's build, when it is whole.
 * @param kind of this app, empty lists mean that plugin-rsc has changed them; another app may have no action
 */
export function referenceSources(kind: 'never empty' | 'may be empty' = 'never empty'): Plugin {
  return {
    name: 'flight-recorder:reference-sources',
    sharedDuringBuild: true,
    applyToEnvironment: (environment) => environment.name === 'rsc',
    // Not called by the builds that only look for references.
    writeBundle({ dir }) {
      const { config } = this.environment;
      const manager = findReferences(config);
      if (!manager || dir === undefined) {
        return this.error("flights/recorder/vite.ts: plugin-rsc's list of references is not there");
      }
      const clients = Object.entries(manager.clientReferenceMetaMap);
      const servers = [...manager.serverReferences.metaMap];
      if (kind === 'never empty' && (clients.length === 0 || servers.length === 0)) {
        this.error(
          'flights/recorder/vite.ts: plugin-rsc lists no client modules or no server actions, so none can be named',
        );
      }
      const entries = [...clients, ...servers];
      const sources = new Map(entries.map(([id, { referenceKey }]) => [referenceKey, nameSource(id, config.root)]));
      writeFileSync(path.join(dir, referenceSourcesFile), formatSources(sources));
      return undefined;
    },
  };
}
