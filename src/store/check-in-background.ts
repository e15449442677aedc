import 'server-only';

import { Worker } from 'node:worker_threads';

/**
 * Reads every page of a large database while the server serves: on a slow disk that takes longer than anybody waits for a
 * start. The thread has its own connection, which only reads. It is a text, so that it runs from a bundle and from sources.
 */
const thread = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { DatabaseSync } = require('node:sqlite');
  const database = new DatabaseSync(workerData, { readOnly: true });
  try {
    parentPort.postMessage(database.prepare('pragma quick_check(1)').get().quick_check);
  } finally {
    database.close();
  }
`;
/** What SQLite says of a file whose pages are not what they should be. */
const corruptCode = 11;

class CheckFailure extends Error {
  readonly errcode = corruptCode;
}

/**
 * @param noteError gets damage as an error of the database
 * @returns what ends the check before its time
 */
export function checkInBackground(file: string, noteError: (error: unknown) => void): () => Promise<void> {
  const worker = new Worker(thread, {
    eval: true,
    workerData: file,
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  worker.unref();
  worker.on('message', (found: unknown) => {
    if (found !== 'ok') noteError(new CheckFailure(String(found).replaceAll('\n', ' ')));
  });
  // With SQLite's code, when the check could not even read what it needed.
  worker.on('error', noteError);
  return async function stop() {
    await worker.terminate();
  };
}
