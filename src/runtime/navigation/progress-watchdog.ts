/**
 * Notices when nothing has happened for `timeoutMs`. Each sign of progress starts the wait again, so what moves slowly
 * is left alone however long it takes. While it is held the wait does not run: something else is known to be in the
 * way. `onStall` is called at most once.
 */
export type ProgressWatchdog = {
  readonly progress: () => void;
  readonly hold: () => void;
  /** Ends a hold; the wait starts from its beginning. */
  readonly resume: () => void;
  /** For good. */
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
