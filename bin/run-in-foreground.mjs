import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/**
 * Ctrl-C reaches every process of the terminal. Passed on as well, it would arrive twice, and a second one ends a server at once.
 * Without a terminal nobody else tells the child.
 */
const isInTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;

/** Runs `command` in the foreground. It receives signals, and this process ends with its status. */
export function runInForeground(command, args, options) {
  const child = spawn(command, args, { stdio: 'inherit', ...options });
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  process.on('SIGINT', () => {
    if (!isInTerminal) child.kill('SIGINT');
  });
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + (constants.signals[signal] ?? 0);
  });
  return child;
}
