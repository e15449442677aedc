import { Worker } from 'node:worker_threads';

/**
 * Reads every page of a large database while the server serves: on a slow disk that takes longer than anybody waits for a
 * start. It is a thread and not a process, which would take 40 MB of the 256 that the unit allows; it has its own
 * connection, which only reads. Its program is a text, so that it runs from a bundle and from sources.
 *
 * A statement of SQLite cannot be cut short. A process that ends meanwhile has closed its database and let go of its folder
 * before it waits for this.
 */
const program = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { DatabaseSync } = require('node:sqlite');
  const database = new DatabaseSync(workerData, { readOnly: true });
  try {
    parentPort.postMessage(database.prepare('pragma quick_check(1)').get().quick_check);
  } finally {
    database.close();
  }
`;
/** The check itself takes no memory of JavaScript's. */
const heapMib = 16;
/** What SQLite says of a file whose pages are not what they should be. */
const corruptCode = 11;

class CheckFailure extends Error {
  readonly errcode = corruptCode;
}

/**
 * @param noteError gets damage as an error of the database
 * @returns what ends the check before its time
 */
export function checkInBackground(file: string, noteError: (error: unknown) => void): () => void {
  const worker = new Worker(program, {
    eval: true,
    workerData: file,
    execArgv: ['--disable-warning=ExperimentalWarning'],
    resourceLimits: { maxOldGenerationSizeMb: heapMib },
  });
  worker.unref();
  worker.on('message', (found: unknown) => {
    if (found !== 'ok') noteError(new CheckFailure(String(found).replaceAll('\n', ' ')));
  });
  // With SQLite's code, when the check could not even read what it needed.
  worker.on('error', noteError);
  return function stop() {
    void worker.terminate();
  };
}
