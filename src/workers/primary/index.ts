import path from 'node:path';

import { readSetting } from '#src/environment/read-setting.ts';
import { describeError } from '#src/http/describe-error.ts';

import { joinPrimary } from './join-primary.ts';

/**
 * `dist/workers.js`, which `dist/serve-node.js` asks where `WORKERS` is set.
 * @returns whether this process is to load the server: it is a worker, or there is to be one process
 */
export async function becomeWorker(): Promise<boolean> {
  try {
    if (await joinPrimary()) return true;
    const count = readSetting('WORKERS');
    if (count === 1) return true;
    const { startPrimary } = await import('./start-primary.ts');
    startPrimary(count, path.join(import.meta.dirname, 'serve-node.js'));
    return false;
  } catch (error) {
    // What is wrong here is the operator's to mend: one line says it.
    console.error(describeError(error).replace(/^/gm, 'flight-recorder: '));
    process.exit(1);
  }
}
