import { spawn } from 'node:child_process';

import { setTimeout as wait } from 'node:timers/promises';

export type RunningCommand = {
  readonly pid: number;
  /** What it has written so far. */
  readonly output: () => string;
  readonly errors: () => string;
  /** @throws with all that it wrote when `pattern` does not come, in either stream */
  readonly waitFor: (pattern: RegExp) => Promise<RegExpExecArray>;
  readonly signal: (signal: NodeJS.Signals) => void;
  /** The exit status, or the signal that ended it. */
  readonly exited: Promise<number | NodeJS.Signals | null>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

type Options = { readonly cwd: string; readonly env?: NodeJS.ProcessEnv };

const deadlineMs = 30_000;
const pollMs = 25;

/** Starts a command in a folder and follows it. */
export function startCommand(
  file: string,
  args: readonly string[],
  { cwd, env = process.env }: Options,
): RunningCommand {
  const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const text = { output: '', errors: '' };
  child.stdout.setEncoding('utf8').on('data', (piece: string) => (text.output += piece));
  child.stderr.setEncoding('utf8').on('data', (piece: string) => (text.errors += piece));
  const exited = new Promise<number | NodeJS.Signals | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(code ?? signal));
  });

  async function waitFor(pattern: RegExp): Promise<RegExpExecArray> {
    const deadline = performance.now() + deadlineMs;
    for (;;) {
      const found = pattern.exec(text.output) ?? pattern.exec(text.errors);
      if (found) return found;
      const hasEnded = child.exitCode !== null || child.signalCode !== null;
      if (hasEnded || performance.now() > deadline) {
        throw new Error(`${pattern} did not come. Output:\n${text.output}\nErrors:\n${text.errors}`);
      }
      await wait(pollMs);
    }
  }

  return {
    pid: child.pid ?? 0,
    output: () => text.output,
    errors: () => text.errors,
    waitFor,
    signal: (signal) => void child.kill(signal),
    exited,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await Promise.race([exited, wait(deadlineMs).then(() => child.kill('SIGKILL'))]);
    },
  };
}
