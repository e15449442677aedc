#!/usr/bin/env node
// The command `flight-recorder`. Installed, it runs on the Node of the app that it was installed in, and says so where that is too old. In
// a clone it runs on the Node that npm installed there, and builds first. So this file is plain JavaScript and uses only Node's own
// modules.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { isAtLeast } from '../src/server/environment/is-at-least.mjs';
import { endWithNpx } from './end-with-npx.mjs';
import { describeOldNode, findOwnNode } from './find-node.mjs';
import { scriptsFloor } from './node-floors.mjs';
import { runInForeground } from './run-in-foreground.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const command = path.join(root, 'dist/command.js');
/** A packed one has no scripts, and its build is whole. */
const isClone = existsSync(path.join(root, 'scripts/prepare.mjs'));

function fail(message) {
  process.stderr.write(`flight-recorder: ${message}\n`);
  process.exit(1);
}

/** Node 22 warns of its SQLite at each start, before the first line of the command. */
function dropExperimentalWarnings() {
  const [print] = process.listeners('warning');
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    if (warning.name !== 'ExperimentalWarning') print?.(warning);
  });
}

/** What runs the same on a Node that is new enough. */
function writeCommand() {
  return ['npx', '-p', 'node@24', 'flight-recorder', ...process.argv.slice(2)].join(' ');
}

async function prepare() {
  if (!isClone) return findOwnNode() ?? fail(`${describeOldNode()}. Type: ${writeCommand()}`);
  const { ensureBuilt, ensureServable, findNode: findNodeOfClone } = await import('../scripts/prepare.mjs');
  ensureServable();
  const node = findNodeOfClone();
  ensureBuilt(node);
  return node;
}

/** How this was called, for the pages and messages that name a command. npm says when it is between. */
function findProgram() {
  if (!process.env.npm_execpath) return 'flight-recorder';
  if (!isClone) return 'npx flight-recorder';
  return process.cwd() === root ? 'npx .' : `npx ${/^[\w./-]+$/.test(root) ? root : JSON.stringify(root)}`;
}

if (isClone && !isAtLeast(process.version, scriptsFloor)) {
  fail(`Node ${process.version} is too old; install Node.js ${scriptsFloor} or newer`);
}
// npm starts scripts in the package's folder. A file name is relative to the folder where the person is.
if (process.env.npm_lifecycle_event === 'flight-recorder' && process.env.INIT_CWD) process.chdir(process.env.INIT_CWD);
endWithNpx();
const node = await prepare();
process.env.FLIGHT_OPERATOR ||= findProgram();
if (!isAtLeast(process.version, '24')) dropExperimentalWarnings();
if (node === process.execPath) await import(pathToFileURL(command).href);
else runInForeground(node, [command, ...process.argv.slice(2)]);
