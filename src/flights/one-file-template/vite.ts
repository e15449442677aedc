import { writeFileSync } from 'node:fs';
import path from 'node:path';

import type { Plugin } from 'vite';

import { buildTemplate } from './build-template.ts';
import { packTemplate, templateFile } from './template-file.ts';

/** Writes the template beside the server's code (for-operator/read-template.ts reads it; the command line does, too). */
export function oneFileTemplate(): Plugin {
  return {
    name: 'flight-recorder:one-file-template',
    sharedDuringBuild: true,
    applyToEnvironment: (environment) => environment.name === 'rsc',
    // Not called by the builds that only look for references.
    async writeBundle({ dir }) {
      if (dir === undefined) return this.error('one-file-template/vite.ts: the server is built into no folder');
      writeFileSync(path.join(dir, templateFile), packTemplate(await buildTemplate()));
      return undefined;
    },
  };
}
