import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Before all tests: the folder that the apps are built in. Without `FRAMEWORKS_FOLDER` it is gone after them. */
export default function keepApps(): (() => void) | undefined {
  if (process.env['FRAMEWORKS_FOLDER']) return undefined;
  const folder = mkdtempSync(path.join(tmpdir(), 'frameworks-'));
  process.env['FRAMEWORKS_FOLDER'] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
