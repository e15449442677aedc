import 'server-only';

import { reportError } from './report-error.ts';

/**
 * Errors that nobody caught. A rejected promise is recorded and the process lives on: it belongs to one request, and
 * the others have no part in it. After an uncaught exception the process is in an unknown state; it is recorded, what
 * was captured is delivered, and the process ends with status 1 for its supervisor to restart it.
 */
export function captureProcessErrors(onStop: () => Promise<void>): void {
  process.on('unhandledRejection', (reason) => void reportError(reason, 'process'));
  process.on('uncaughtException', (error) => {
    reportError(error, 'process');
    // The record is made one turn later, see report-error.ts.
    setImmediate(() => {
      void onStop().finally(() => process.exit(1));
    });
  });
}
