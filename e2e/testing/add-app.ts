import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

const root = path.join(import.meta.dirname, '../..');
const program = `
const { ensureApp } = await import('./src/apps/apps.ts');
console.log((await ensureApp(process.argv[1])).secretKey);
process.exit();
`;

/** Adds an app in the data folder of a server that runs, as a command would. Returns its secret key. */
export async function addApp(id: string, dataFolder: string | undefined = process.env['E2E_DATA']): Promise<string> {
  if (dataFolder === undefined) throw new Error('E2E_DATA is not set; playwright.config.ts sets it');
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program, id], {
    cwd: root,
    env: { ...process.env, FLIGHT_DATA: dataFolder },
  });
  return stdout.trim();
}
