import 'server-only';

import { asRecord, parseJson } from '#src/faults/receive/untrusted-json.ts';
import { openStore } from '#src/store/open-store.ts';

import { hearOfRelease } from '../grouping/count-error.ts';

import { uploadLimits } from './limits.ts';

/** What the CLI and the bundlers' plugins say when a build begins: there is a release of this name. */

/** Returns undefined when the body names none. */
export function readReleaseName(body: Uint8Array): string | undefined {
  const name = asRecord(parseJson(new TextDecoder().decode(body)))?.['version'];
  return isReleaseName(name) ? name : undefined;
}

export function isReleaseName(name: unknown): name is string {
  return typeof name === 'string' && name.trim() !== '' && name.length <= uploadLimits.longestRelease;
}

/** Now is when it was first heard of, unless it was heard of before. @returns false when there is no room */
export async function noteRelease(app: string, name: string): Promise<boolean> {
  const { commit } = await openStore();
  const result = await commit(async (trx) => {
    await hearOfRelease(trx, { app, side: 'server', name, time: Date.now() });
  }, 'untrusted');
  return result === 'committed';
}
