import { createRequire } from 'node:module';
import path from 'node:path';

import { describeMissingNode, findNode } from '../../../bin/find-node.mjs';

/** This package, from where it can be seen: from itself, from the mounted copy, from the app. pnpm shows it to the app alone. */
function findPackage(folders: readonly string[]): string | undefined {
  for (const folder of folders) {
    try {
      return path.dirname(createRequire(path.join(folder, 'any.js')).resolve('flight-recorder/package.json'));
    } catch {
      // Not from here.
    }
  }
  return undefined;
}

/**
 * Node's program for the interface: the packaged one, else the one that runs the app.
 * @throws with one line when there is none that is new enough
 */
export function findNodeProgram(mounted: string): string {
  const root = findPackage([import.meta.dirname, mounted, process.cwd()]);
  const node = findNode(root ?? mounted);
  if (node === undefined) throw new Error(describeMissingNode());
  return node;
}
