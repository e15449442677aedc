import type { RootOptions } from 'react-dom/client';

import { readControl } from '#src/runtime/control-errors.ts';
import { readDigest } from '#report/digest.ts';

/** What React does by itself with an error that a boundary caught. */
function logCaught(error: unknown): void {
  if (!readControl(error)) console.error(error);
}

/** And with one that it recovered from: the listeners for errors of the window are called. */
function tellWindow(error: unknown): void {
  globalThis.reportError(error);
}

/**
 * The root's own handlers still run, or what React does without them. Except for a recovered error with a digest of ours: that is
 * React's "The server could not finish this Suspense boundary", which it says only of an error that has a digest. The server has
 * recorded it already, and an app without us hears nothing of it. Nor are Waku's redirects, which its router follows, lines of the console.
 */
export function toQuietOptions<Options extends RootOptions>(options: Options): Options {
  const { onCaughtError = logCaught, onRecoverableError = tellWindow } = options;
  return {
    ...options,
    onCaughtError,
    onRecoverableError(error, info) {
      if (!readDigest(error)) onRecoverableError(error, info);
    },
  };
}
