import { findBuiltFolder } from '#src/server/environment/find-built-folder.ts';

/** The folder with the build. @throws where there is none */
export function findDist(): string {
  return findBuiltFolder('dist', 'serve-node.js');
}
