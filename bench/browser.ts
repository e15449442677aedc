import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';

import { chromium, type Browser } from 'playwright';

import { findInstalledBrowser } from '../scripts/find-browser.mjs';
import { findFreePort } from './fixture-app.ts';
import { median, ratio, show, takeSample, type Sample } from './samples.ts';

/**
 * What the browser's module costs: `npm run bench browser`. The same app is asked through `proxy` and through `proxy --browser`, in turn,
 * because a machine's speed changes from minute to minute. A figure is the median of the rounds' ratios or differences.
 */
const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    seconds: { type: 'string', default: '2' },
    loads: { type: 'string', default: '10' },
    firstBytes: { type: 'string', default: '300' },
  },
});
const [rounds, seconds, loads, asked] = [flags.rounds, flags.seconds, flags.loads, flags.firstBytes].map(Number);
const connections = 32;
const root = path.join(import.meta.dirname, '..');
const folder = mkdtempSync(path.join(tmpdir(), 'flight-recorder-browser-'));

type Running = { readonly name: string; readonly port: number; readonly pid: number; readonly stop: () => void };

async function startApp(): Promise<Running> {
  const script = path.join(import.meta.dirname, 'browser-page.ts');
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line]: unknown[] = await once(createInterface(child.stdout), 'line');
  return { name: 'app', port: Number(line), pid: child.pid ?? 0, stop: () => void child.kill('SIGKILL') };
}

/** As it is shipped, with everything recorded. */
async function startProxy(name: 'off' | 'on', app: Running): Promise<Running> {
  const port = await findFreePort();
  const options = ['--to', `http://127.0.0.1:${app.port}`, '--port', String(port), '--app', 'bench'];
  const added = name === 'on' ? ['--browser'] : [];
  const child = spawn(process.execPath, [path.join(root, 'dist/command.js'), 'proxy', ...options, ...added], {
    env: { ...process.env, FLIGHT_DATA: path.join(folder, name), RECORD: 'all' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await once(createInterface(child.stderr), 'line');
  return { name, port, pid: child.pid ?? 0, stop: () => void child.kill('SIGKILL') };
}

function toRequest(url: string): string {
  return `GET ${url}?id=00000000 HTTP/1.1\r\nHost: 127.0.0.1\r\nSec-Fetch-Dest: document\r\nAccept-Encoding: gzip\r\n\r\n`;
}

/** One request after the other on one connection, from its last byte to the first of the answer. */
async function measureFirstByte({ port }: Running, url: string): Promise<number> {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  await once(socket, 'connect');
  const began = performance.now();
  socket.write(toRequest(url).replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
  await once(socket, 'data');
  const ms = performance.now() - began;
  socket.resume();
  await once(socket, 'close');
  return ms;
}

async function measureServing(off: Running, on: Running): Promise<void> {
  const table: Record<string, Record<string, string>> = {};
  for (const url of ['/plain', '/packed']) {
    const samples: Record<'off' | 'on', Sample[]> = { off: [], on: [] };
    const firstBytes: number[] = [];
    const options = { request: toRequest(url), connections, seconds: seconds ?? 2 };
    for (const server of [off, on]) await takeSample(server.pid, server.name, { ...options, port: server.port });
    for (let round = 0; round < (rounds ?? 0); round += 1) {
      samples.off.push(await takeSample(off.pid, 'off', { ...options, port: off.port }));
      samples.on.push(await takeSample(on.pid, 'on', { ...options, port: on.port }));
    }
    for (let at = 0; at < (asked ?? 0); at += 1) {
      const [without, with_] = [await measureFirstByte(off, url), await measureFirstByte(on, url)];
      firstBytes.push(with_ - without);
    }
    table[url] = {
      'requests/s off': show(median(samples.off.map(({ perSecond }) => perSecond)), 0),
      'on, × off': show(
        ratio(samples.on, samples.off, ({ perSecond }) => perSecond),
        3,
      ),
      'CPU, × off': show(
        ratio(samples.on, samples.off, ({ cpuMs }) => cpuMs ?? Number.NaN),
        2,
      ),
      'first byte, ms more': show(median(firstBytes), 2),
    };
  }
  console.log(`${rounds} rounds of ${seconds} s, ${connections} connections; ${asked} first bytes in turn`);
  console.table(table);
}

type Load = {
  readonly requests: number;
  readonly bytes: number;
  /** Of the whole page. */
  readonly taskMs: number;
  /** Of the module: compiled and run, in the page and in its file. */
  readonly moduleMs: number;
  readonly largestPaint: number;
};

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** What Chromium notes of scripts below `/_fr`: the time of its thread, which other processes do not lengthen. */
function sumModule(trace: Buffer): number {
  const parsed: unknown = JSON.parse(trace.toString());
  const events: unknown = isRecord(parsed) ? parsed['traceEvents'] : undefined;
  let micros = 0;
  for (const event of Array.isArray(events) ? events : []) {
    if (!isRecord(event) || (event['name'] !== 'EvaluateScript' && event['name'] !== 'v8.compile')) continue;
    const data = isRecord(event['args']) ? event['args']['data'] : undefined;
    const url = isRecord(data) ? String(data['url']) : '';
    if (url.includes('/_fr/')) micros += Number(event['tdur'] ?? event['dur'] ?? 0);
  }
  return micros / 1_000;
}

async function loadPage(browser: Browser, { port }: Running): Promise<Load> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable');
  let [requests, bytes] = [0, 0];
  await session.send('Network.enable');
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    requests += 1;
    bytes += encodedDataLength;
  });
  await browser.startTracing(page, { categories: ['devtools.timeline', 'v8'] });
  await page.goto(`http://127.0.0.1:${port}/packed`, { waitUntil: 'networkidle' });
  const trace = await browser.stopTracing();
  const { metrics } = await session.send('Performance.getMetrics');
  const taskMs = (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1_000;
  const largestPaint = await page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        new PerformanceObserver((list) => resolve(list.getEntries().at(-1)?.startTime ?? Number.NaN)).observe({
          type: 'largest-contentful-paint',
          buffered: true,
        });
      }),
  );
  await context.close();
  return { requests, bytes, taskMs, moduleMs: sumModule(trace), largestPaint };
}

async function measureLoads(off: Running, on: Running): Promise<void> {
  const executablePath = findInstalledBrowser();
  const browser = await chromium.launch({
    ...(executablePath ? { executablePath } : {}),
    args: ['--no-sandbox', '--disable-gpu'],
  });
  const taken: Record<'off' | 'on', Load[]> = { off: [], on: [] };
  for (const server of [off, on]) await loadPage(browser, server);
  for (let at = 0; at < (loads ?? 0); at += 1) {
    taken.off.push(await loadPage(browser, off));
    taken.on.push(await loadPage(browser, on));
  }
  await browser.close();
  function compare(name: keyof Load, digits: number): Record<string, string> {
    const differences = taken.on.map((load, at) => load[name] - (taken.off[at]?.[name] ?? Number.NaN));
    const [without, with_] = [taken.off, taken.on].map((all) => median(all.map((load) => load[name])));
    return { off: show(without ?? 0, digits), on: show(with_ ?? 0, digits), more: show(median(differences), digits) };
  }
  console.log(`${loads} loads in turn, each in a browser context of its own`);
  console.table({
    requests: compare('requests', 0),
    bytes: compare('bytes', 0),
    'main thread, ms': compare('taskMs', 1),
    'of it the module’s script, ms': compare('moduleMs', 2),
    'largest paint, ms': compare('largestPaint', 1),
  });
}

const app = await startApp();
const [off, on] = [await startProxy('off', app), await startProxy('on', app)];
try {
  for (const name of ['page-script', 'browser-second-part']) {
    const file = readFileSync(path.join(root, 'dist', `${name}.js`));
    console.log(`${name}.js: ${file.length} bytes, ${gzipSync(file, { level: 9 }).length} compressed`);
  }
  await measureServing(off, on);
  await measureLoads(off, on);
} finally {
  for (const server of [app, off, on]) server.stop();
  rmSync(folder, { recursive: true, force: true });
}
