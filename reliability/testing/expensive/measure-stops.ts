import { createServer } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

/**
 * For `--import`, in the process that is measured: how long its serving thread was busy without a pause, and how much memory it has.
 * Counted is the time that the thread had a processor, between two turns of its event loop: what else the machine does is not in it.
 * Threads of the process load this, too: they have no socket of theirs.
 * Who connects to the socket `MEASURE_SOCKET` gets one line of JSON, and begins anew. A line `collect` before it collects garbage.
 */
export type Stops = { readonly longestMs: number; readonly rssMib: number };

const everyMs = 1;
let [longest, last] = [0, readBusy()];

function readBusy(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

function tick(): void {
  const now = readBusy();
  longest = Math.max(longest, now - last);
  last = now;
}

function begin(): void {
  setInterval(tick, everyMs).unref();
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');

  createServer((socket) => {
    socket
      .on('error', () => undefined)
      .on('data', (text) => {
        tick();
        const longestMs = longest / 1000;
        if (String(text).startsWith('collect') && typeof collect === 'function') collect();
        socket.end(`${JSON.stringify({ longestMs, rssMib: process.memoryUsage.rss() / 2 ** 20 })}\n`);
        [longest, last] = [0, readBusy()];
      });
  })
    .listen(process.env['MEASURE_SOCKET'])
    .unref();
}

if (isMainThread) begin();
