// Runs on the machine's own Node, in a clone before anything is installed: only Node's own modules.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

import { isAtLeast } from '../src/server/environment/is-at-least.mjs';
import { servingFloor, sqliteFloor } from './node-floors.mjs';

/** The Node that npm installed in the clone for this platform (packages/node). */
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
 * The running Node, when it can serve. Each line brings its SQLite; an old one can lose committed pages.
 * @returns {string | undefined}
 */
export function findOwnNode({ version, versions, execPath } = process) {
  const isNew = isAtLeast(version, servingFloor) && isAtLeast(versions.sqlite ?? '0', sqliteFloor);
  return isNew ? execPath : undefined;
}

/**
 * The Node that builds and serves in a clone: the one from the registry for this platform, else the running one when it is new
 * enough.
 * @param {string} root the clone's folder
 * @returns {string | undefined}
 */
export function findNode(root) {
  return findPackagedNode(root) ?? findOwnNode();
}

/** In a clone, for a platform that the registry has no Node for. */
export function describeMissingNode() {
  return `no packaged Node for ${process.platform} ${process.arch}, and ${process.version} is too old; install Node.js 24`;
}

/** Of an installed package, which brings no Node: an app keeps its own. */
export function describeOldNode() {
  return `Node ${process.version} is too old: it needs ${servingFloor} or newer with SQLite ${sqliteFloor} or newer`;
}
