import path from 'node:path';
import { parseArgs } from 'node:util';

import { measureColdStart, type ColdStart } from './cold-start.ts';
import { buildFixture, startFixture, type RunningApp } from './fixture-app.ts';
import { findNextPayload, readNextActionId, startNext } from './next-app.ts';
import { weighPage } from './page-weight.ts';
import { readRss } from './process-usage.ts';
import { readActionFile } from './read-action-file.ts';
import { median, ratio, show, takeSample, type Sample } from './samples.ts';

/**
 * Our renderer and host compared with plain Waku, and with `--next` also with Next.js, on the same pages.
 *
 * A machine's speed changes from minute to minute, and with its other work. So the servers are measured in turn, in
 * many short rounds, and a result is the median of the rounds' ratios. CPU time per request is shown beside the
 * throughput, because it is the same on a busy machine.
 */
const { values: flags } = parseArgs({
  options: {
    next: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '3' },
    only: { type: 'string' },
  },
});
const rounds = Number(flags.rounds);
const seconds = Number(flags.seconds);
const warmUpSeconds = 5;
const connections = 16;
const coldStarts = 5;

type Variant = 'plain' | 'ours';
type Name = Variant | 'next';
type App = { readonly name: Name; readonly running: RunningApp };
type Request = { readonly method: string; readonly path: string; readonly headers?: string[]; readonly body?: string };
type Scenario = { readonly title: string; readonly goal: number; readonly requests: Record<Name, Request> };

function listScenarios(nextPayload: string, nextActionId: string): Scenario[] {
  const dist = path.join(import.meta.dirname, 'fixture/dist');
  const payload = { method: 'GET', path: '/RSC/R/_root.txt' };
  const call = { method: 'POST', headers: ['content-type: text/plain;charset=UTF-8'], body: '[41]' };
  function everywhere(pagePath: string): Record<Name, Request> {
    const request = { method: 'GET', path: pagePath };
    return { plain: request, ours: request, next: request };
  }
  return [
    { title: 'dynamic document, 100 rows', goal: 1.8, requests: everywhere('/') },
    {
      title: 'its navigation payload',
      goal: 1.5,
      requests: { plain: payload, ours: payload, next: { method: 'GET', path: nextPayload, headers: ['rsc: 1'] } },
    },
    { title: 'static document', goal: 1, requests: everywhere('/static') },
    {
      title: 'server action',
      goal: 0.95,
      requests: {
        plain: { ...call, path: `/RSC/F/${readActionFile(path.join(dist, 'plain'), 'increment')}/increment.txt` },
        // Our server takes actions at the page's own URL, with their checks.
        ours: {
          ...call,
          path: '/action',
          headers: [
            ...call.headers,
            `x-flight-action: ${readActionFile(path.join(dist, 'ours'), 'increment')}/increment`,
          ],
        },
        next: { ...call, path: '/action', headers: [...call.headers, `next-action: ${nextActionId}`] },
      },
    },
  ];
}

function toWire({ method, path: target, headers = [], body = '' }: Request, origin: string): string {
  const length = method === 'POST' ? [`origin: ${origin}`, `content-length: ${Buffer.byteLength(body)}`] : [];
  const host = `host: ${new URL(origin).host}`;
  return `${[`${method} ${target} HTTP/1.1`, host, ...headers, ...length].join('\r\n')}\r\n\r\n${body}`;
}

function load(app: App, request: Request, duration: number): Promise<Sample> {
  return takeSample(app.running.pid, `${app.name} ${request.path}`, {
    port: Number(new URL(app.running.origin).port),
    request: toWire(request, app.running.origin),
    connections,
    seconds: duration,
  });
}

const medianOf = (samples: readonly Sample[], read: (sample: Sample) => number) => median(samples.map(read));

async function compare(scenario: Scenario, apps: readonly App[]): Promise<void> {
  for (const app of apps) await load(app, scenario.requests[app.name], warmUpSeconds);
  const samples = new Map<Name, Sample[]>(apps.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const app of apps) samples.get(app.name)?.push(await load(app, scenario.requests[app.name], seconds));
  }
  const ours = samples.get('ours') ?? [];
  console.log(`\n${scenario.title} (goal: ${scenario.goal} × plain Waku)`);
  console.table(
    Object.fromEntries(
      apps.map(({ name, running }) => {
        const own = samples.get(name) ?? [];
        return [
          name,
          {
            'requests/s': show(
              medianOf(own, (sample) => sample.perSecond),
              0,
            ),
            'ours ×': show(
              ratio(ours, own, (sample) => sample.perSecond),
              2,
            ),
            'p50 ms': show(
              medianOf(own, (sample) => sample.p50),
              1,
            ),
            'p99 ms': show(
              medianOf(own, (sample) => sample.p99),
              1,
            ),
            'CPU ms/request': show(
              medianOf(own, (sample) => sample.cpuMs ?? Number.NaN),
              3,
            ),
            'CPU: ours ×': show(1 / ratio(ours, own, (sample) => sample.cpuMs ?? Number.NaN), 2),
            'RSS MiB': show(readRss(running.pid), 0),
          },
        ];
      }),
    ),
  );
}

/** Nothing listens there. No request fails, so nothing is sent. */
const nobodysDsn = 'http://abc@127.0.0.1:9/1';

async function showPageAndStart(apps: readonly App[]): Promise<void> {
  console.log('\nJavaScript before interaction (the rows page: one client component)');
  const weights: Record<string, object> = {};
  for (const { name, running } of apps) {
    const { files, bytes, gzipped } = await weighPage(`${running.origin}/`);
    weights[name] = { files, kB: show(bytes / 1000, 1), 'kB gzip': show(gzipped / 1000, 1) };
  }
  console.table(weights);
  const alone: ColdStart[] = [];
  const forwarding: ColdStart[] = [];
  for (let start = 0; start < coldStarts; start += 1) {
    alone.push(await measureColdStart(undefined));
    forwarding.push(await measureColdStart(nobodysDsn));
  }
  console.log(`\nThe main app, median of ${coldStarts} starts (goals: 400 ms, 110 MiB idle):`);
  console.log(`  ${describeStarts(alone)}; with SENTRY_DSN ${describeStarts(forwarding)}`);
}

function describeStarts(starts: readonly ColdStart[]): string {
  const startMs = median(starts.map((start) => start.startMs));
  const rssMiB = median(starts.map((start) => start.rssMiB));
  return `first answer after ${show(startMs, 0)} ms, idle RSS ${show(rssMiB, 1)} MiB`;
}

console.log('Building the fixture twice …');
await Promise.all([buildFixture('plain'), buildFixture('ours')]);
const apps: App[] = [
  { name: 'plain', running: await startFixture('plain', 'production') },
  { name: 'ours', running: await startFixture('ours', 'production') },
];
try {
  let [nextPayload, nextActionId] = ['', ''];
  if (flags.next) {
    const running = await startNext();
    apps.push({ name: 'next', running });
    [nextPayload, nextActionId] = [await findNextPayload(running.origin), readNextActionId()];
  }
  console.log(`${rounds} rounds of ${seconds} s each in turn, ${connections} connections, Node ${process.version}`);
  const scenarios = listScenarios(nextPayload, nextActionId);
  for (const scenario of scenarios) {
    if (!flags.only || scenario.title.includes(flags.only)) await compare(scenario, apps);
  }
  if (!flags.only) await showPageAndStart(apps);
} finally {
  await Promise.all(apps.map(({ running }) => running.stop()));
}
