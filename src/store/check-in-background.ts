import { Worker } from 'node:worker_threads';

/**
 * Reads every page of a large database while the server answers requests: on a slow disk the check takes too long to wait for at
 * the start. It is a thread, because a process would take 40 MB of the 256 that the systemd unit allows. It has its own
 * connection, which only reads. Its program is a text, so that it runs from a bundle and from sources.
 *
 * A running statement of SQLite cannot be stopped. A process that ends during the check therefore first closes its database and
 * releases its folder, and then waits for the check.
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
/** The check itself needs no memory in JavaScript's heap. */
const heapMib = 16;
/** What SQLite reports for a file with damaged pages. */
const corruptCode = 11;

class CheckFailure extends Error {
  readonly errcode = corruptCode;
}

/**
 * @param noteError is called with damage, as an error of the database
 * @returns a function that ends the check early
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
  // The check itself could not read the file. The error has SQLite's code.
  worker.on('error', noteError);
  return function stop() {
    void worker.terminate();
  };
}
