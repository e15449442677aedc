import path from 'node:path';

import type { Plugin } from 'vite';

import { mountInterface } from '#src/waku/mount/mount-interface.ts';

import type { InterfaceOptions } from './dev-interface.ts';
import { interfaceFolderName } from './inside-modules.ts';

/** The interface in the app's `dist`, after everything else: a `dist` that is copied to a server is whole. */
export function builtInterface({ options, facts, mountable }: InterfaceOptions): Plugin {
  return {
    name: 'flight-recorder:built-interface',
    apply: 'build',
    buildApp: {
      order: 'post',
      async handler() {
        const { dist, mountPath: mount } = facts();
        if (mount === undefined || options.to !== undefined) return;
        await mountInterface({ from: mountable, to: path.join(dist, interfaceFolderName), mount });
      },
    },
  };
}
