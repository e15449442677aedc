/**
 * Notices when nothing has happened for `timeoutMs`. Each sign of progress starts the wait again, so a slow response
 * that moves is not interrupted, however long it takes. While the watchdog is held, the wait does not run: something
 * else is known to be the cause. `onStall` is called at most once.
 */
export type ProgressWatchdog = {
  readonly progress: () => void;
  readonly hold: () => void;
  /** Ends a hold. The wait starts from its beginning. */
  readonly resume: () => void;
  /** Stops for good. */
  readonly stop: () => void;
};

export function createProgressWatchdog(timeoutMs: number, onStall: () => void): ProgressWatchdog {
  let status: 'watching' | 'held' | 'stopped' = 'watching';
  let timer = setTimeout(stall, timeoutMs);

  function stall() {
    status = 'stopped';
    onStall();
  }

  function restart() {
    clearTimeout(timer);
    if (status === 'watching') timer = setTimeout(stall, timeoutMs);
  }

  function change(to: 'watching' | 'held' | 'stopped') {
    if (status === 'stopped') return;
    status = to;
    restart();
  }

  return {
    progress: restart,
    hold: () => change('held'),
    resume: () => change('watching'),
    stop: () => change('stopped'),
  };
}
