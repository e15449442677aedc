import { spawnSync } from 'node:child_process';

import type { TestContext } from 'vitest';

/**
 * Mode 0600 and a folder for its owner alone protect from everybody but root. In containers root runs these tests, so the server runs as
 * this user.
 */
export const nobody = 65_534;

/** Skips the test where a server cannot be started as somebody else: without root, or in a folder that only its owner can enter. */
export function skipUnlessAsNobody(context: TestContext): void {
  if (process.getuid?.() !== 0) context.skip('only root can start a server as somebody else');
  const { error } = spawnSync(process.execPath, ['--version'], { uid: nobody });
  if (error) context.skip(`nobody else can start ${process.execPath}: ${error.message}`);
}
