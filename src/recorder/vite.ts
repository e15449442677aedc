import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { getPluginApi } from '@vitejs/plugin-rsc';
import type { Plugin } from 'vite';

import { formatSources, referenceSourcesFile } from './reference-sources.ts';

/**
 * The thread that writes flights is a file of its own in the build. In development and in tests the URL in
 * write-flights.ts is the source itself, which Node runs as it is; in the build it becomes that of the emitted file,
 * relative to the chunk that has the module. The build fails when the URL was not found: otherwise a server whose recorder cannot
 * start would be noticed too late.
 */
const owner = /[/\\]src[/\\]recorder[/\\]write-flights\.ts$/;
const sourceUrl = "'./writer/writer-thread.ts'";
const placeholder = '__FLIGHT_RECORDER_THREAD__';
const threadFile = 'recorder-thread.js';

/** @param file the thread's, from the folder that the names of chunks are from */
function setUrl(code: string, chunkName: string, file: string): { code: string; map: null } | undefined {
  if (!code.includes(placeholder)) return undefined;
  const relative = path.posix.relative(path.posix.dirname(chunkName), file);
  const url = relative.startsWith('.') ? relative : `./${relative}`;
  return { code: code.replaceAll(placeholder, url), map: null };
}

export function recorderThread(): Plugin {
  let isMet = false;
  return {
    name: 'flight-recorder:recorder-thread',
    enforce: 'pre',
    sharedDuringBuild: true,
    applyToEnvironment: (environment) => environment.name === 'rsc',
    transform(code, id) {
      if (this.environment.mode !== 'build' || !owner.test(id.split('?')[0] ?? '')) return undefined;
      if (!code.includes(sourceUrl)) this.error(`recorder/vite.ts: ${sourceUrl} is not in ${id} any more`);
      this.emitFile({
        type: 'chunk',
        id: fileURLToPath(new URL('./writer/writer-thread.ts', import.meta.url)),
        fileName: threadFile,
      });
      return { code: code.replace(sourceUrl, `'${placeholder}'`), map: null };
    },
    renderChunk(code, chunk) {
      const changed = setUrl(code, chunk.fileName, threadFile);
      isMet ||= changed !== undefined;
      return changed;
    },
    // Not called by the builds that only look for references, which drop all code.
    writeBundle() {
      if (!isMet) this.error(`recorder/vite.ts: the URL of ${threadFile} was not found in any chunk`);
    },
  };
}

/**
 * For a bundle beside the server's, in `dist` itself: its thread is the one that the server's build has made.
 */
export function recorderThreadOfServer(): Plugin {
  return {
    name: 'flight-recorder:recorder-thread-of-server',
    enforce: 'pre',
    transform(code, id) {
      if (!owner.test(id.split('?')[0] ?? '')) return undefined;
      if (!code.includes(sourceUrl)) this.error(`recorder/vite.ts: ${sourceUrl} is not in ${id} any more`);
      return { code: code.replace(sourceUrl, `'${placeholder}'`), map: null };
    },
    renderChunk: (code, chunk) => setUrl(code, chunk.fileName, `server/${threadFile}`),
  };
}

/** A module's file from the project's folder, or from `node_modules`: never a path of the machine that built it. */
export function nameSource(id: string, root: string): string {
  const file = (id.split('?')[0] ?? id).replaceAll('\\', '/');
  const inPackage = file.lastIndexOf('/node_modules/');
  if (inPackage >= 0) return file.slice(inPackage + '/node_modules/'.length);
  return path.posix.relative(root.replaceAll('\\', '/'), file);
}

/**
 * In a build, client modules and server actions travel under hashes of their paths. This writes down which is which
 * (for-operator/sources.ts reads it), from plugin-rsc's own list, at the end of the server's build, when it is whole.
 */
export function referenceSources(): Plugin {
  return {
    name: 'flight-recorder:reference-sources',
    sharedDuringBuild: true,
    applyToEnvironment: (environment) => environment.name === 'rsc',
    // Not called by the builds that only look for references.
    writeBundle({ dir }) {
      const { config } = this.environment;
      const manager = getPluginApi(config)?.manager;
      if (!manager || dir === undefined) {
        return this.error("recorder/vite.ts: plugin-rsc's list of references is not there");
      }
      const clients = Object.entries(manager.clientReferenceMetaMap);
      const servers = [...manager.serverReferences.metaMap];
      if (clients.length === 0 || servers.length === 0) {
        this.error('recorder/vite.ts: plugin-rsc lists no client modules or no server actions, so none can be named');
      }
      const entries = [...clients, ...servers];
      const sources = new Map(entries.map(([id, { referenceKey }]) => [referenceKey, nameSource(id, config.root)]));
      writeFileSync(path.join(dir, referenceSourcesFile), formatSources(sources));
      return undefined;
    },
  };
}
