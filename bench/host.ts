import { existsSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { startMainApp, toWire, type AppRequest, type MainApp } from './main-app.ts';
import { readActionFile } from './read-action-file.ts';
import { median, ratio, show, takeSample, type Sample } from './samples.ts';

/**
 * The app's build compared with an earlier one: `npm run bench host -- --against <folder that holds its dist>`. Both
 * run side by side, each signed in if it has a login, and are measured in turn, because a machine's speed changes from
 * minute to minute. A result is the median of the rounds' ratios. The goal is 1: no slower than the earlier build.
 */
const { values: flags } = parseArgs({
  options: {
    against: { type: 'string' },
    rounds: { type: 'string', default: '9' },
    seconds: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
  },
});
const rounds = Number(flags.rounds);
const seconds = Number(flags.seconds);
const warmUpSeconds = 5;
const connections = 16;
const root = path.join(import.meta.dirname, '..');

type Scenario = {
  readonly title: string;
  readonly toRequest: (folder: string) => AppRequest;
  /** The status of every answer, when it is not a 2xx. */
  readonly status?: number;
};

function read(title: string, target: string): Scenario {
  return { title, toRequest: () => ({ method: 'GET', path: target }) };
}

const scenarios: readonly Scenario[] = [
  read('dynamic document with database reads', '/'),
  read('its navigation payload', '/RSC/R/_root.txt'),
  read('a longer dynamic document', '/runtime'),
  read('static document', '/lab/prefetch/3'),
  read('icon', '/favicon.svg'),
  {
    title: 'server action',
    toRequest: (folder) => ({
      method: 'POST',
      path: '/lab/actions',
      headers: [
        'content-type: text/plain;charset=UTF-8',
        `x-flight-action: ${readActionFile(path.join(folder, 'dist'), 'addNumbers')}/addNumbers`,
      ],
      body: '[40,2]',
    }),
  },
  // Each answer has its own digest, and waits until its error is kept.
  { ...read('a storm: every document fails', '/lab/throw-before-shell'), status: 500 },
  { ...read('a storm: a late part of every document fails', '/lab/throw-after-shell'), status: 200 },
];

type Build = { readonly name: 'before' | 'now'; readonly folder: string; readonly app: MainApp };

function load({ name, folder, app }: Build, { title, toRequest, status }: Scenario, duration: number): Promise<Sample> {
  const request = toWire(app, toRequest(folder));
  return takeSample(app.pid, `${title}, ${name}`, { port: app.port, request, connections, seconds: duration }, status);
}

async function compare(scenario: Scenario, before: Build, now: Build): Promise<Record<string, string>> {
  for (const build of [before, now]) await load(build, scenario, warmUpSeconds);
  const earlier: Sample[] = [];
  const later: Sample[] = [];
  for (let round = 0; round < rounds; round += 1) {
    earlier.push(await load(before, scenario, seconds));
    later.push(await load(now, scenario, seconds));
  }
  return {
    'before/s': show(median(earlier.map((sample) => sample.perSecond)), 0),
    'now/s': show(median(later.map((sample) => sample.perSecond)), 0),
    'now ×': show(
      ratio(later, earlier, (sample) => sample.perSecond),
      3,
    ),
    'CPU: now ×': show(
      ratio(later, earlier, (sample) => sample.cpuMs ?? Number.NaN),
      3,
    ),
    'p99 ms before': show(median(earlier.map((sample) => sample.p99)), 1),
    'p99 ms now': show(median(later.map((sample) => sample.p99)), 1),
  };
}

if (!flags.against || !existsSync(path.join(flags.against, 'dist/serve-node.js'))) {
  throw new Error(
    '--against names the folder of an earlier checkout that has been built (it holds dist/serve-node.js)',
  );
}
const earlierFolder = path.resolve(flags.against);
const before: Build = { name: 'before', folder: earlierFolder, app: await startMainApp(earlierFolder) };
const now: Build = { name: 'now', folder: root, app: await startMainApp(root) };
try {
  console.log(`${rounds} rounds of ${seconds} s each in turn, ${connections} connections, Node ${process.version}`);
  const rows: Record<string, object> = {};
  for (const scenario of scenarios) {
    if (scenario.title.includes(flags.only)) rows[scenario.title] = await compare(scenario, before, now);
  }
  console.table(rows);
} finally {
  await Promise.all([before, now].map(({ app }) => app.stop()));
}
