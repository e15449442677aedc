import type { Plugin } from 'vite';

import { changedEvent } from './dev-events.ts';

/**
 * Tells the pages of development of each change of a file. What Vite says itself depends on what it could make of the
 * file: an error page, which waits for the file to be mended, would miss the end of an error that was there at first.
 * Of sources alone: what else is written in the project is no reason to look again.
 */
export function tellChanges(): Plugin {
  return {
    name: 'flight-recorder:tell-changes',
    apply: 'serve',
    hotUpdate({ file }) {
      const { environment } = this;
      const isSource = file.startsWith(`${environment.config.root}/src/`);
      if (environment.name === 'client' && isSource) environment.hot.send({ type: 'custom', event: changedEvent });
    },
  };
}
