const everyMs = 500;

/**
 * `npx` starts a shell, which starts this. A signal to `npx` is passed to the shell, which ends and passes nothing on: then this process
 * would be left, with the app that it runs. So it ends as if it had got the signal when the shell is gone. Only then: a shell that was
 * left on purpose, as by `nohup … &`, is no `npx`.
 */
export function endWithNpx() {
  if (process.env.npm_command !== 'exec') return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, everyMs);
  timer.unref();
}
