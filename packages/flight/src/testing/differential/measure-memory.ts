import { readFileSync } from 'node:fs';

import { decodeFlight } from '../../decode-flight.ts';

/**
 * A process of its own that decodes one file and says what that cost in memory, in bytes: `retained` after a collection,
 * `peak` as the system saw it. Run with `--expose-gc`; the argument is the file.
 */
async function collect() {
  if (!globalThis.gc) throw new Error('run with --expose-gc');
  globalThis.gc();
  // The memory of collected buffers is given back in a turn of its own.
  await new Promise((resolve) => setImmediate(resolve));
  globalThis.gc();
}

// Compiled once, so that the code's own memory is not counted.
decodeFlight(
  new TextEncoder().encode('0:["$","div",null,{"children":"$L1"}]\n1:[1,"a",true,null,{"b":"$@2"}]\n2:T1,x'),
);
const bytes = readFileSync(process.argv[2] ?? '');
await collect();
const before = process.memoryUsage();
const flight = decodeFlight(bytes);
const peak = process.resourceUsage().maxRSS * 1024 - before.rss;
await collect();
const after = process.memoryUsage();
const retained = after.heapUsed + after.external - before.heapUsed - before.external;
console.log(JSON.stringify({ bytes: bytes.length, rows: flight.rows.count, state: flight.state.kind, retained, peak }));
