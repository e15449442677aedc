import { isDamage } from './sqlite-errors.ts';

/**
 * Damage that is noticed while the server runs: a page of the file is not what SQLite wrote. Requests that do not read this page
 * still work. Nothing more is stored in the file: a write beside damage spreads it, and would be lost with the next restore. The
 * log has every error in full. The file is only checked again by a restart.
 */
export type DamageWatch = {
  /** Called with every error of the database. */
  readonly note: (error: unknown) => void;
  /** One line for the operator; undefined while nothing was found. */
  readonly found: () => string | undefined;
  readonly onFound: (listener: (message: string) => void) => void;
  /** Another process of this server has found it. */
  readonly tell: (message: string) => void;
};

export function watchDamage(file: string): DamageWatch {
  let message: string | undefined;
  const listeners: ((message: string) => void)[] = [];
  function tell(found: string): void {
    if (message !== undefined) return;
    message = found;
    for (const listener of listeners) listener(found);
  }
  return {
    tell,
    note(error) {
      if (message !== undefined || !isDamage(error)) return;
      tell(
        `The database ${file} is damaged: ${error.message}. Nothing more is stored in it; errors are in the log alone. ` +
          "Stop the server and restore a backup (the operator's command restore <file>).",
      );
    },
    found: () => message,
    onFound(listener) {
      if (message === undefined) listeners.push(listener);
      else listener(message);
    },
  };
}
