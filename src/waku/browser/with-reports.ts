import type { RootOptions } from 'react-dom/client';

import { readControl } from '#src/runtime/control-errors.ts';
import { readDigest } from '#src/runtime/errors/digest.ts';

import { report } from './early-errors.ts';

/** What React does by itself with an error that a boundary caught. */
function logCaught(error: unknown): void {
  if (!readControl(error)) console.error(error);
}

/** And with any other. It also calls the listeners for errors of the window: the report is made there, once. */
function tellWindow(error: unknown): void {
  globalThis.reportError(error);
}

/**
 * The root's own handlers still run, or what React does without them. Except for a recovered error with a digest of ours: that is
 * React's "The server could not finish this Suspense boundary", which it says only of an error that has a digest. The server has
 * recorded it already, and an app without us hears nothing of it.
 */
export function withReports<Options extends RootOptions>(options: Options): Options {
  const { onCaughtError = logCaught, onUncaughtError = tellWindow, onRecoverableError = tellWindow } = options;
  return {
    ...options,
    onCaughtError(error, info) {
      report(error, 'caught', info.componentStack);
      onCaughtError(error, info);
    },
    onUncaughtError(error, info) {
      report(error, 'uncaught', info.componentStack);
      onUncaughtError(error, info);
    },
    onRecoverableError(error, info) {
      if (readDigest(error)) return;
      report(error, 'recoverable', info.componentStack);
      onRecoverableError(error, info);
    },
  };
}
