import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

const root = path.join(import.meta.dirname, '../..');

/** Makes an upload token of an app that is there, as an operator would on the machine of the server. */
export async function makeUploadToken(
  app: string,
  dataFolder: string | undefined = process.env['E2E_DATA'],
): Promise<string> {
  if (dataFolder === undefined) throw new Error('E2E_DATA is not set; playwright.config.ts sets it');
  const args = ['dist/command.js', 'token', 'create', 'CI', '--upload', '--app', app];
  const env = { ...process.env, FLIGHT_DATA: dataFolder };
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, env });
  return stdout.trim();
}
