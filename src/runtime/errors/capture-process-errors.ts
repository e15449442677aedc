import 'server-only';

import { reportError } from './report-error.ts';

/**
 * Records errors that nobody caught. After a rejected promise the process goes on: the rejection belongs to one
 * request, and other requests are not affected. After an uncaught exception the process is in an unknown state. The
 * exception is recorded, captured reports are delivered, and the process ends with status 1, so that its supervisor
 * restarts it.
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
