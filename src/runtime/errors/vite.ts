import { normalizePath, type Plugin } from 'vite';

import { changedEvent } from './dev-events.ts';

/**
 * Tells development's pages about each change of a source file. Vite's own messages depend on whether it could compile
 * the file. An error page waits for the file to be repaired, and would miss the repair of an error that was there from
 * the start. Other files in the project are not announced: they are no reason to reload.
 *
 * @param otherFolder of sources outside the project
 */
export function tellChanges(otherFolder?: string): Plugin {
  return {
    name: 'flight-recorder:tell-changes',
    apply: 'serve',
    hotUpdate({ file }) {
      const { environment } = this;
      const isOther = otherFolder !== undefined && file.startsWith(`${normalizePath(otherFolder)}/`);
      const isSource = isOther || file.startsWith(`${environment.config.root}/src/`);
      if (environment.name === 'client' && isSource) environment.hot.send({ type: 'custom', event: changedEvent });
    },
  };
}
