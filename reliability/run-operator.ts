import { spawn } from 'node:child_process';
import path from 'node:path';

export type OperatorRun = { readonly code: number | null; readonly output: string; readonly errors: string };

/** Runs the built command line on `dataFolder`. */
export function runOperator(dataFolder: string, ...args: readonly string[]): Promise<OperatorRun> {
  const script = path.join(import.meta.dirname, '../dist/operator.js');
  const child = spawn(process.execPath, [script, ...args], {
    env: { ...process.env, FLIGHT_DATA: dataFolder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output, errors })));
}
