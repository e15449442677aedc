import { spawn } from 'node:child_process';
import path from 'node:path';

import { findDatabase } from './databases.ts';

export type OperatorRun = { readonly code: number | null; readonly output: string; readonly errors: string };

type Target = {
  readonly dataFolder: string;
  readonly dist?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** The text on its standard input. */
  readonly input?: string;
};

/** Runs the built command line on a data folder. `dist` is the build's folder when it is in another place. */
export async function runOperator(target: string | Target, ...args: readonly string[]): Promise<OperatorRun> {
  const built = path.join(import.meta.dirname, '../../dist');
  const options: Target = typeof target === 'string' ? { dataFolder: target } : target;
  const { dataFolder, dist = built, env = process.env, input = '' } = options;
  const child = spawn(process.execPath, [path.join(dist, 'command.js'), ...args], {
    cwd: path.dirname(dist),
    env: { ...env, FLIGHT_DATA: dataFolder, ...(await findDatabase(dataFolder)) },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(input);
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output, errors })));
}
