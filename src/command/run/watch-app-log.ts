import { setTimeout as pause } from 'node:timers/promises';

import type { AppError } from '#report/sender/app-error.ts';
import { createSender, type SenderOptions } from '#report/sender/create-sender.ts';

import { createAppLogReader, type AppLogOptions as ReaderOptions } from '../app-log/create-app-log-reader.ts';
import type { AppStream } from './start-app.ts';

/**
 * Reads the errors that the app prints, with their digests, and sends them where the app itself would send them. Next prints them
 * to standard error, and some of its versions to standard output.
 */
export type AppLogWatch = {
  readonly write: (stream: AppStream, chunk: Uint8Array) => void;
  /** Resolves when what was found is sent, or given up. */
  readonly end: () => Promise<void>;
};

export type AppLogOptions = {
  readonly address: SenderOptions['address'];
  readonly warn: (message: string) => void;
  /** Of the app as it runs. */
  readonly readRelease: () => string | undefined;
} & Pick<ReaderOptions, 'readStartedAt'>;

/** The interface is on this machine. When it does not answer by then, it does not answer. */
const settleMs = 3_000;

export function watchAppLog({ address, warn, readRelease, ...options }: AppLogOptions): AppLogWatch {
  const sender = createSender({ address, warn });
  function report(error: AppError): void {
    // Now: the app may be another one when it is sent.
    const release = readRelease();
    // A visitor's text names no line and column that a map of the build knows, but by luck.
    const isVague = !error.frames?.some(({ file, source }) => source !== undefined && !file.endsWith(source));
    void sender.send(() => ({ ...error, release }), { digest: error.digest, stack: error.stack, isVague });
  }
  const openReader = () => createAppLogReader(report, options);
  const readers = { stdout: openReader(), stderr: openReader() };
  return {
    write: (stream, chunk) => readers[stream].write(chunk),
    async end() {
      readers.stdout.end();
      readers.stderr.end();
      await Promise.race([sender.settle(), pause(settleMs, undefined, { ref: false })]);
    },
  };
}
