import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';

import { decodeFlight, visitFlight } from '#flight';

/**
 * Compares our decoder with React's own client on the same bytes, and with JSON.parse of as many bytes. React parses a
 * row only when it is used, so both are made to decode everything: React's tree is walked with every lazy and promise
 * opened, and ours is walked to every value, with its text and numbers read. CPU time is measured, since a busy machine
 * lengthens other times. All run in turn in each round, and a result is the median of the rounds' ratios. At the end the
 * command in the terminal is timed as a person waits for it.
 */
const rounds = 15;
const millisecondsPerSample = 120;
const terminalRuns = 5;

Object.assign(globalThis, { __webpack_require__: () => ({ Counter: noop }), __webpack_chunk_load__: noop });
function noop(): void {}
const require = createRequire(import.meta.url);
const client: unknown = require('react-server-dom-webpack/client.node');

type Client = { createFromNodeStream: (stream: PassThrough, manifest: object) => PromiseLike<unknown> };

function isClient(value: unknown): value is Client {
  return typeof value === 'object' && value !== null && 'createFromNodeStream' in value;
}
if (!isClient(client)) throw new Error('react-server-dom-webpack/client.node has no createFromNodeStream');
const { createFromNodeStream } = client;

const manifest = { serverConsumerManifest: undefined, moduleMap: null, serverModuleMap: null, moduleLoading: null };

/** Opens every lazy and walks every value. Returns the number of values, so that nothing is skipped unnoticed. */
function forceTree(root: unknown): number {
  let count = 0;
  const stack: unknown[] = [root];
  while (stack.length > 0) {
    const value = stack.pop();
    count += 1;
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) continue;
    if ('_init' in value && typeof value._init === 'function' && '_payload' in value) {
      stack.push(value._init(value._payload));
    } else if (Array.isArray(value)) stack.push(...value);
    else if ('props' in value && 'type' in value) stack.push(value.type, value.props);
    else for (const key in value) stack.push(Reflect.get(value, key));
  }
  return count;
}

async function decodeWithReact(bytes: Uint8Array): Promise<number> {
  const stream = new PassThrough();
  const promise = createFromNodeStream(stream, manifest);
  stream.end(bytes);
  return forceTree(await promise);
}

function decodeOurs(bytes: Uint8Array): number {
  const flight = decodeFlight(bytes);
  if (flight.state.kind !== 'complete') throw new Error(`decoded as ${flight.state.kind}`);
  return visitFlight(flight, { text: noop, number: noop });
}

function parseJson(text: string): unknown {
  return JSON.parse(text);
}

/** JSON of about as many bytes, with the same kind of content: the models of the rows as one array. */
function toJson(bytes: Uint8Array): string {
  const models: string[] = [];
  for (const line of new TextDecoder().decode(bytes).split('\n')) {
    const model = /^[0-9a-f]+:([[{].*)$/.exec(line)?.[1];
    if (model !== undefined) models.push(model);
  }
  const text = `[${models.join(',')}]`;
  return text.length > bytes.length / 2 ? text : JSON.stringify('x'.repeat(bytes.length));
}

function readCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * Milliseconds of CPU (the garbage collector included) for one run: the mean of as many runs as fit into the sample's
 * time.
 */
async function sample(run: () => unknown): Promise<number> {
  const start = readCpuMs();
  let runs = 0;
  do {
    await run();
    runs += 1;
  } while (readCpuMs() - start < millisecondsPerSample);
  return (readCpuMs() - start) / runs;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

async function compare(name: string, bytes: Uint8Array): Promise<void> {
  const json = toJson(bytes);
  const times: { ours: number; index: number; react: number; json: number }[] = [];
  for (let round = -2; round < rounds; round++) {
    const ours = await sample(() => decodeOurs(bytes));
    const react = await sample(() => decodeWithReact(bytes));
    const index = await sample(() => decodeFlight(bytes));
    const parsed = await sample(() => parseJson(json));
    if (round >= 0) times.push({ ours, react, index, json: parsed });
  }
  const size = (bytes.length / 1e6).toFixed(3);
  console.log(
    `${name.padEnd(8)} ${size.padStart(6)} MB  ${decodeFlight(bytes).rows.count} rows`,
    `\n  ours, every value read ${median(times.map((time) => time.ours)).toFixed(3)} ms`,
    `\n  ours, opened and checked ${median(times.map((time) => time.index)).toFixed(3)} ms`,
    `\n  React's client ${median(times.map((time) => time.react)).toFixed(3)} ms`,
    `· JSON.parse ${median(times.map((time) => time.json)).toFixed(3)} ms`,
    `\n  React / ours ${median(times.map((time) => time.react / time.ours)).toFixed(2)} (goal ≥ 1.0)`,
    `· opened ${median(times.map((time) => time.react / time.index)).toFixed(2)}`,
    `· JSON.parse / ours ${median(times.map((time) => time.json / time.ours)).toFixed(2)}`,
  );
}

/** Milliseconds from the start of the command in a terminal to its end. */
function timeTerminal(file: string): number {
  const started = performance.now();
  execFileSync(process.execPath, [path.join(import.meta.dirname, '../scripts/flight.mjs'), file]);
  return performance.now() - started;
}

/** End to end, as a person waits: with the start of Node, and of the modules from their sources. */
function measureTerminal(large: string, small: string): void {
  const times = Array.from({ length: terminalRuns }, () => ({
    large: timeTerminal(large),
    small: timeTerminal(small),
  }));
  const megabytes = statSync(large).size / 1e6;
  const own = median(times.map((time) => time.large));
  const start = median(times.map((time) => time.small));
  console.log(
    `terminal ${megabytes.toFixed(3)} MB in ${own.toFixed(0)} ms, of which a small payload takes ${start.toFixed(0)} ms;`,
    `\n  5 MB in ${(start + ((own - start) / megabytes) * 5).toFixed(0)} ms (goal ≤ 1000)`,
  );
}

const folder = mkdtempSync(path.join(tmpdir(), 'flight-decode-'));
try {
  const script = path.join(import.meta.dirname, 'decode-payloads.ts');
  execFileSync(process.execPath, ['--conditions=react-server', script, folder], { stdio: 'inherit' });
  for (const name of ['small', 'large', 'binary']) {
    await compare(name, new Uint8Array(readFileSync(path.join(folder, `${name}.flight`))));
  }
  // As a production server writes them: without debug rows.
  const env = { ...process.env, NODE_ENV: 'production' };
  execFileSync(process.execPath, ['--conditions=react-server', script, folder], { stdio: 'inherit', env });
  measureTerminal(path.join(folder, 'large.flight'), path.join(folder, 'small.flight'));
} finally {
  rmSync(folder, { recursive: true });
}
