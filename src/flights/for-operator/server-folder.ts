import 'server-only';

import { findBuiltFolder } from '#src/server/environment/find-built-folder.ts';

import { referenceSourcesFile } from '../recorder/reference-sources.ts';

/** The server's folder of the build. @throws where there is no build */
export function findServerFolder(): string {
  return findBuiltFolder('server', referenceSourcesFile);
}
