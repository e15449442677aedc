import { createRequire } from 'node:module';
import path from 'node:path';

import { isRecord } from '#boundary';

import { readManifest } from './package-folder.ts';

/**
 * The renderer holds on to internals of Waku and of plugin-rsc. With other versions than those that were tried the build either works
 * or fails with a message that says what moved; this names the versions before that.
 */
function findVersion(name: string, from: string): string | undefined {
  try {
    const file = createRequire(path.join(from, 'package.json')).resolve(`${name}/package.json`);
    const version = readManifest(path.dirname(file))?.['version'];
    return typeof version === 'string' ? version : undefined;
  } catch {
    // Not installed there: Waku's own build says so.
    return undefined;
  }
}

/** For a message about what a version of Waku has or has not. */
export function nameWaku(root: string): string {
  return `waku ${findVersion('waku', root) ?? '(of an unknown version)'}`;
}

/** @returns one line; undefined where the app has the versions that were tried */
export function describeVersions(root: string, packageFolder: string): string | undefined {
  const peers = readManifest(packageFolder)?.['peerDependencies'];
  const tried = isRecord(peers) ? peers['waku'] : undefined;
  const installed = findVersion('waku', root);
  if (typeof tried !== 'string' || installed === undefined || installed === tried) return undefined;
  return (
    `flight-recorder was tried with waku ${tried}; this app has waku ${installed}. ` +
    'Where something it needs has moved, the build fails and names it.'
  );
}
