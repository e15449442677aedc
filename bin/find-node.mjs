// Runs on the machine's own Node, in a clone before anything is installed: only Node's own modules.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

import { isAtLeast } from '../src/environment/is-at-least.mjs';
import { servingFloor } from './node-floors.mjs';

/** The Node that npm installed for this platform, wherever it put it: it may have hoisted it out of `root`. */
function findPackagedNode(root) {
  const platform = { win32: 'win' }[process.platform] ?? process.platform;
  const executable = process.platform === 'win32' ? 'bin/node.exe' : 'bin/node';
  const name = `node-${platform}-${process.arch}`;
  try {
    const manifest = createRequire(path.join(root, 'package.json')).resolve(`${name}/package.json`);
    const file = path.join(path.dirname(manifest), executable);
    return existsSync(file) ? file : undefined;
  } catch {
    // There is none for this platform, or optional dependencies were left out.
    return undefined;
  }
}

/**
 * The Node that builds and serves: the one from the registry for this platform, else the running one when it is new
 * enough.
 * @param {string} root the package's folder
 * @returns {string | undefined}
 */
export function findNode(root) {
  return findPackagedNode(root) ?? (isAtLeast(process.version, servingFloor) ? process.execPath : undefined);
}

/** What to say when there is none. */
export function describeMissingNode() {
  return `no packaged Node for ${process.platform} ${process.arch}, and ${process.version} is too old; install Node.js 24`;
}
