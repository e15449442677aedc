import { spawn } from 'node:child_process';

/** Runs `command` in the foreground. It receives signals, and this process ends with its status. */
export function runInForeground(command, args, options) {
  const child = spawn(command, args, { stdio: 'inherit', ...options });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 143);
  });
  return child;
}

/** Runs each step in turn and stops at the first that fails. */
export async function runSteps(steps, options) {
  for (const [title, command, args] of steps) {
    console.log(`\n── ${title}`);
    const code = await new Promise((resolve) => {
      spawn(command, args, { stdio: 'inherit', ...options }).on('exit', (status) => resolve(status ?? 1));
    });
    if (code !== 0) {
      console.error(`\n${title}: failed`);
      process.exit(code);
    }
  }
}
