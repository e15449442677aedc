import { spawn } from 'node:child_process';
import path from 'node:path';

export type OperatorRun = { readonly code: number | null; readonly output: string; readonly errors: string };

type Target = { readonly dataFolder: string; readonly dist: string };

/** Runs the built command line on a data folder; `dist` is another place where the build was put. */
export function runOperator(target: string | Target, ...args: readonly string[]): Promise<OperatorRun> {
  const built = path.join(import.meta.dirname, '../dist');
  const { dataFolder, dist } = typeof target === 'string' ? { dataFolder: target, dist: built } : target;
  const child = spawn(process.execPath, [path.join(dist, 'operator.js'), ...args], {
    cwd: path.dirname(dist),
    env: { ...process.env, FLIGHT_DATA: dataFolder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output, errors })));
}
