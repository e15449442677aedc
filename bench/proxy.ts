import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';

import { build } from 'vite';

import { ensureBuilt } from '../scripts/prepare.mjs';
import { findFreePort } from './fixture-app.ts';
import { startNext } from './next-app.ts';
import { readPeakRss } from './process-usage.ts';
import { median, ratio, show, takeSample, type Sample } from './samples.ts';

/**
 * What the proxy costs: `npm run bench proxy`. One upstream, which answers 15 kB at once, is asked directly and through each
 * forwarder, all in the same rounds, because a machine's speed changes from minute to minute. A ratio is the median of the
 * rounds' ratios. The yardstick is undici: the goal is 0.95 of its throughput or more, and less than 90 MiB of memory. On a
 * machine with few processors, the load generator and the upstream take from the forwarder: the CPU per request does not
 * depend on that as much. `recorded` is the command as it is shipped; its CPU is that of all its threads, and of the one that serves. With
 * `--next` the upstream is a Next.js app, whose page is made for each request.
 */
const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    seconds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '32' },
    next: { type: 'boolean', default: false },
  },
});
const rounds = Number(flags.rounds);
const seconds = Number(flags.seconds);
const connections = Number(flags.connections);
const warmUpSeconds = 3;

type Running = { readonly name: string; readonly port: number; readonly pid: number; readonly stop: () => void };

const folder = mkdtempSync(path.join(tmpdir(), 'flight-recorder-proxy-'));

/** As it is shipped: in one file. To take the types out while it starts would cost 40 MiB. */
async function buildForwarder(): Promise<string> {
  await build({
    configFile: false,
    root: path.join(import.meta.dirname, '..'),
    logLevel: 'warn',
    publicDir: false,
    ssr: { target: 'node', noExternal: true },
    build: {
      ssr: 'bench/forwarder.ts',
      target: 'node24',
      outDir: folder,
      emptyOutDir: false,
      rolldownOptions: { output: { entryFileNames: 'forwarder.mjs' } },
    },
  });
  return path.join(folder, 'forwarder.mjs');
}

async function startForwarder(script: string, kind: string, upstreamPort: number): Promise<Running> {
  const child: ChildProcess = spawn(process.execPath, [script, kind, String(upstreamPort)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (!child.stdout) throw new Error('no output');
  const [line]: unknown[] = await once(createInterface(child.stdout), 'line');
  return { name: kind, port: Number(line), pid: child.pid ?? 0, stop: () => void child.kill('SIGKILL') };
}

/** The command as it is shipped, with everything recorded. */
async function startRecorded(upstreamPort: number): Promise<Running> {
  ensureBuilt(process.execPath);
  const port = await findFreePort();
  const command = path.join(import.meta.dirname, '../dist/command.js');
  const to = `http://127.0.0.1:${upstreamPort}`;
  const child = spawn(process.execPath, [command, 'proxy', '--to', to, '--port', String(port), '--app', 'bench'], {
    env: { ...process.env, NODE_ENV: 'production', FLIGHT_DATA: path.join(folder, 'data'), RECORD: 'all' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await once(createInterface(child.stderr), 'line');
  return { name: 'recorded', port, pid: child.pid ?? 0, stop: () => void child.kill('SIGKILL') };
}

/** nginx as a proxy with one worker, in the foreground; undefined where it is not installed. */
async function startNginx(upstreamPort: number): Promise<Running | undefined> {
  if (spawnSync('nginx', ['-v']).error) return undefined;
  const port = await findFreePort();
  const config = `daemon off; master_process off; pid ${folder}/pid; error_log stderr crit;
events { worker_connections 1024; }
http {
  access_log off; client_body_temp_path ${folder}/b; proxy_temp_path ${folder}/p; fastcgi_temp_path ${folder}/f;
  uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
  upstream app { server 127.0.0.1:${upstreamPort}; keepalive 64; }
  server {
    listen 127.0.0.1:${port}; keepalive_requests 1000000000;
    location / { proxy_pass http://app; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $host; }
  }
}
`;
  writeFileSync(path.join(folder, 'nginx.conf'), config);
  const child = spawn('nginx', ['-p', folder, '-c', 'nginx.conf'], { stdio: ['ignore', 'ignore', 'inherit'] });
  for (let tries = 0; tries < 100; tries += 1) {
    const response = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
    if (response) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { name: 'nginx', port, pid: child.pid ?? 0, stop: () => void child.kill('SIGKILL') };
}

async function startUpstream(): Promise<Running> {
  if (!flags.next) return startForwarder(script, 'app', 0);
  const { origin, pid, stop } = await startNext();
  return { name: 'app', port: Number(new URL(origin).port), pid, stop: () => void stop() };
}

/** What a browser sends for a page. */
function toRequest(port: number): string {
  return [
    `GET ${flags.next ? '/' : '/some/page?id=00000000'} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    'Connection: keep-alive',
    'sec-ch-ua: "Chromium";v="140", "Not A Brand";v="24"',
    'sec-ch-ua-mobile: ?0',
    'User-Agent: Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
    'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'Sec-Fetch-Site: same-origin',
    'Sec-Fetch-Mode: navigate',
    'Sec-Fetch-Dest: document',
    'Accept-Encoding: gzip, deflate, br, zstd',
    'Accept-Language: en-GB,en;q=0.9',
    'Cookie: session=0123456789abcdef0123456789abcdef',
    '',
    '',
  ].join('\r\n');
}

function load({ name, port, pid }: Running, duration: number): Promise<Sample> {
  return takeSample(pid, name, { port, request: toRequest(port), connections, seconds: duration });
}

const script = await buildForwarder();
const app = await startUpstream();
const kinds = ['undici', 'ours', 'node'];
const running = [app, ...(await Promise.all(kinds.map((kind) => startForwarder(script, kind, app.port))))];
running.push(await startRecorded(app.port));
const nginx = await startNginx(app.port);
if (nginx) running.push(nginx);
else console.log('nginx is not installed here: it is left out');

try {
  const samples = new Map<Running, Sample[]>(running.map((server) => [server, []]));
  for (const server of running) await load(server, warmUpSeconds);
  for (let round = 0; round < rounds; round += 1) {
    for (const [server, taken] of samples) taken.push(await load(server, seconds));
  }
  const yardstick = [...samples].find(([{ name }]) => name === 'undici')?.[1] ?? [];
  const direct = samples.get(app) ?? [];
  const rows: Record<string, Record<string, string>> = {};
  for (const [{ name, pid }, taken] of samples) {
    rows[name === 'app' ? 'direct' : name] = {
      'requests/s': show(median(taken.map((sample) => sample.perSecond)), 0),
      '× undici': show(
        ratio(taken, yardstick, (sample) => sample.perSecond),
        3,
      ),
      '× direct': show(
        ratio(taken, direct, (sample) => sample.perSecond),
        3,
      ),
      'CPU ms/request': show(median(taken.map((sample) => sample.cpuMs ?? Number.NaN)), 3),
      'of it serving': show(median(taken.map((sample) => sample.servingMs ?? Number.NaN)), 3),
      'p99 ms': show(median(taken.map((sample) => sample.p99)), 1),
      'peak MiB': show(readPeakRss(pid), 0),
    };
  }
  console.log(`${rounds} rounds of ${seconds} s each in turn, ${connections} connections, Node ${process.version}`);
  console.table(rows);
} finally {
  for (const server of running) server.stop();
  rmSync(folder, { recursive: true, force: true });
}
