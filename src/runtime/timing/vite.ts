import path from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Plugin } from 'vite';

import { timeCallsId, timeSource } from './time-source.ts';

const timeCalls = fileURLToPath(new URL('./time-calls.ts', import.meta.url));

/** The app's own modules: what packages do is told by the requests that they send. */
function nameModule(id: string, root: string): string | undefined {
  if (id.startsWith('\0') || id.includes('?')) return undefined;
  const file = path.relative(root, id).replaceAll('\\', '/');
  const isOwn = !file.startsWith('../') && !path.isAbsolute(file) && !/(?:^|\/)node_modules\//.test(file);
  return isOwn ? file : undefined;
}

/**
 * Makes server components and server functions tell where their time goes (time-source.ts), in a build: development has React's own
 * times of them in its payloads.
 */
export function timedFunctions(): Plugin {
  return {
    name: 'flight-recorder:timed-functions',
    enforce: 'pre',
    apply: 'build',
    sharedDuringBuild: true,
    applyToEnvironment: (environment) => environment.name === 'rsc',
    resolveId: (source) => (source === timeCallsId ? timeCalls : undefined),
    transform: {
      filter: { id: /\.[cm]?[jt]sx?$/ },
      handler(code, id) {
        const file = nameModule(id, this.environment.config.root);
        return file === undefined ? undefined : timeSource(code, file);
      },
    },
  };
}
