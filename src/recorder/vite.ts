import path from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Plugin } from 'vite';

/**
 * The thread that writes flights is a file of its own in the build. In development and in tests the URL in
 * write-flights.ts is the source itself, which Node runs as it is; in the build it becomes that of the emitted file,
 * seen from whichever chunk the module landed in. The build fails when the URL was not met: a server whose recorder
 * cannot start would be noticed too late.
 */
const owner = /[/\\]src[/\\]recorder[/\\]write-flights\.ts$/;
const sourceUrl = "'./writer/writer-thread.ts'";
const placeholder = '__FLIGHT_RECORDER_THREAD__';
const threadFile = 'recorder-thread.js';

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
      if (!code.includes(placeholder)) return undefined;
      isMet = true;
      const relative = path.posix.relative(path.posix.dirname(chunk.fileName), threadFile);
      const url = relative.startsWith('.') ? relative : `./${relative}`;
      return { code: code.replaceAll(placeholder, url), map: null };
    },
    // Not called by the builds that only look for references, which drop all code.
    writeBundle() {
      if (!isMet) this.error(`recorder/vite.ts: the URL of ${threadFile} was not found in any chunk`);
    },
  };
}
