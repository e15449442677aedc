import { readFileSync } from 'node:fs';

import { beforeEach, describe, expect, it, vi } from 'vitest';

import { createHistogram } from '#src/server/http/histogram.ts';
import { countRequest } from '#src/server/http/request-counts.ts';
import * as keeping from '#src/faults/kept/keep.ts';
import { storeError, storeUntrusted, useStore } from '#src/faults/grouping/testing/use-store.ts';
import { openStore } from '#src/store/open-store.ts';

import { testedEngine } from '../../../e2e/testing/postgres/tested-engine.ts';
import { describeMetric, type Metric } from './metric.ts';
import { forgetShared, readShared } from './read-shared.ts';
import { createMetrics, ownMetrics } from './registry.ts';

vi.mock('#src/faults/kept/keep.ts', { spy: true });

useStore();

beforeEach(() => forgetShared());

const { serve } = createMetrics();

async function scrape(): Promise<readonly string[]> {
  return (await serve()).text.split('\n');
}

function findSamples(lines: readonly string[], name: string): readonly string[] {
  return lines.filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
}

/** What `promtool check metrics` says of a name (github.com/prometheus/client_golang, prometheus/testutil/promlint). */
function findNameProblems(name: string, type: string): string[] {
  const parts = name.split('_');
  const units =
    /^(?:(?:milli|micro|nano)seconds|minutes|hours|days|weeks|(?:kilo|mega|giga|tera|kibi|mebi|gibi)?bits|(?:kilo|mega|giga|tera|kibi|mebi|gibi)bytes|percent(?:age)?|fahrenheit|kelvin|(?:kilo|milli|centi)meters)$/;
  return [
    name.endsWith('_total') !== (type === 'counter') && 'the suffix _total is for counters, and for all of them',
    type !== 'histogram' && /_(?:bucket|count|sum)$/.test(name) && 'a suffix of histograms',
    parts.some((part) => units.test(part)) && 'not a base unit',
    parts.some((part) => ['counter', 'gauge', 'histogram', 'summary'].includes(part)) && 'its type in its name',
    /[a-z][A-Z]/.test(name) && 'camel case',
    name.includes(':') && 'a colon, which is for recording rules',
  ].flatMap((problem) => (problem === false ? [] : [`${name}: ${problem}`]));
}

describe('what is served', () => {
  it('has help and type of each metric, by Prometheus’ rules for names', async () => {
    const lines = await scrape();
    for (const metric of ownMetrics) {
      expect(lines).toContain(`# HELP ${metric.name} ${describeMetric(metric)}`);
      expect(lines).toContain(`# TYPE ${metric.name} ${metric.type}`);
      expect(metric.name).toMatch(/^flight_recorder_[a-z_]+$/);
      expect(metric.name.endsWith('_total')).toBe(metric.type === 'counter');
      if (metric.of === 'shared') expect(describeMetric(metric)).toMatch(/do not add them up\.$/);
    }
    expect(new Set(ownMetrics.map(({ name }) => name)).size).toBe(ownMetrics.length);
    expect(findSamples(lines, 'process_resident_memory_bytes')).toHaveLength(1);
  });

  it('has names that promtool finds nothing wrong with, also those of prom-client', async () => {
    const lines = await scrape();
    const types = lines.map((line) => /^# TYPE (\S+) (\w+)$/.exec(line)).filter((found) => found !== null);
    const problems = types.flatMap(([, name = '', type = '']) => findNameProblems(name, type));
    expect(problems).toEqual([]);
    expect(types.length).toBeGreaterThan(ownMetrics.length + 20);
    for (const [, name] of types) expect(lines.some((line) => line.startsWith(`# HELP ${name} `))).toBe(true);
  });

  it.each([
    ['app_requests', 'counter'],
    ['app_handles_total', 'gauge'],
    ['app_wait_milliseconds', 'gauge'],
    ['app_size_kilobytes', 'gauge'],
    ['app_requests_count', 'gauge'],
    ['app_gauge_bytes', 'gauge'],
    ['appRequests_total', 'counter'],
    ['app:requests_total', 'counter'],
  ])('would not have the name %s for a %s', (name, type) => {
    expect(findNameProblems(name, type)).toHaveLength(1);
  });

  it('has no other label than those it names', async () => {
    await storeError();
    const lines = await scrape();
    for (const { name, labels } of ownMetrics) {
      for (const line of lines.filter((one) => one.startsWith(`${name}{`))) {
        const used = [...line.matchAll(/[{,](\w+)="/g)].map(([, label]) => label);
        expect(used.toSorted()).toEqual([...labels].toSorted());
      }
    }
  });

  it('counts on, however often it is asked', async () => {
    const readRequests = async () => findSamples(await scrape(), 'flight_recorder_requests_total').join();
    countRequest('slice', 304);
    const once = await readRequests();
    expect(once).toContain('{kind="slice",status="3xx"} 1');
    expect(await readRequests()).toBe(once);
    countRequest('slice', 304);
    expect(await readRequests()).toContain('{kind="slice",status="3xx"} 2');
  });

  it('has a histogram as Prometheus reads it', async () => {
    const histogram = createHistogram([0.01, 0.1]);
    for (const seconds of [0.005, 0.05, 0.5]) histogram.observe(seconds);
    const metric: Metric = {
      name: 'flight_recorder_test_seconds',
      help: 'A test.',
      of: 'process',
      type: 'histogram',
      labels: ['kind'],
      read: () => [{ labels: { kind: 'a' }, observed: histogram.read() }],
    };
    const { text } = await createMetrics([metric]).serve();
    expect(text.split('\n').filter((line) => line.startsWith('flight_recorder_'))).toEqual([
      'flight_recorder_test_seconds_bucket{le="0.01",kind="a"} 1',
      'flight_recorder_test_seconds_bucket{le="0.1",kind="a"} 2',
      'flight_recorder_test_seconds_bucket{le="+Inf",kind="a"} 3',
      'flight_recorder_test_seconds_sum{kind="a"} 0.555',
      'flight_recorder_test_seconds_count{kind="a"} 3',
    ]);
  });

  it('has the time of commits and of statements', async () => {
    await (
      await openStore()
    ).commit(async (trx) => void (await trx.selectFrom('app').selectAll().execute()), 'untrusted');
    const lines = await scrape();
    expect(lines.find((line) => line.startsWith('flight_recorder_commit_seconds_count{kind="untrusted"}'))).toMatch(
      / [1-9]/,
    );
    expect(lines.find((line) => line.startsWith('flight_recorder_statement_seconds_count{type="read"}'))).toMatch(
      / [1-9]/,
    );
  });

  it('has the rest when one cannot be read', async () => {
    const log = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const common = { help: 'A test.', of: 'process', type: 'gauge', labels: [] } as const;
    const broken: Metric = {
      ...common,
      name: 'flight_recorder_broken',
      read: () => Promise.reject(new Error('no disk')),
    };
    const whole: Metric = { ...common, name: 'flight_recorder_whole', read: () => [{ labels: {}, value: 7 }] };
    const { text } = await createMetrics([broken, whole]).serve();
    expect(text).toContain('flight_recorder_whole 7');
    expect(String(log.mock.calls[0]?.[0])).toContain('no disk');
    log.mockRestore();
  });
});

describe('what the database says', () => {
  it('names the faults with most errors of servers, and tells the others as one', async () => {
    const now = 50 * 3_600_000;
    for (let n = 0; n < 25; n += 1) {
      await storeError({ name: `E${n}`, received_at: now - 1, time: now - 1 });
      if (n < 5) await storeError({ name: `E${n}`, received_at: now - 1, time: now - 1 });
    }
    await storeError({ name: 'Old', received_at: now - 26 * 3_600_000, time: 1 });
    for (let n = 0; n < 30; n += 1) await storeUntrusted({ name: `Untrusted${n}`, received_at: now - 1 });
    const { faultErrors, faults, rows } = await readShared(now);
    expect(faultErrors).toHaveLength(21);
    expect(faultErrors.slice(0, 6).map(({ value }) => value)).toEqual([2, 2, 2, 2, 2, 1]);
    expect(faultErrors.at(-1)).toEqual({ labels: { app: 'other', fault: 'other' }, value: 5 });
    expect(faults).toEqual(
      expect.arrayContaining([
        { labels: { side: 'server', state: 'open' }, value: 26 },
        { labels: { side: 'browser', state: 'open' }, value: 30 },
      ]),
    );
    expect(rows).toEqual(
      expect.arrayContaining([
        { labels: { table: 'error' }, value: 31 },
        { labels: { table: 'untrusted' }, value: 30 },
      ]),
    );
  });

  it('counts sessions that have not ended, and alerts that wait', async () => {
    const { db } = await openStore();
    const session = { created: 1, last_seen: 1, opened_by: 'password', user_agent: '', address: '' } as const;
    await db
      .insertInto('session')
      .values({ ...session, id: 'a', expires: 100 })
      .execute();
    await db
      .insertInto('session')
      .values({ ...session, id: 'b', expires: 99 })
      .execute();
    const shared = await readShared(99);
    expect([shared.sessions, shared.alertsWaiting]).toEqual([1, 0]);
  });

  it('is asked once for all who ask within some seconds', async () => {
    const first = readShared();
    expect(readShared()).toBe(first);
    await first;
    expect(readShared()).toBe(first);
    forgetShared();
    expect(readShared()).not.toBe(first);
  });
});

function read(file: string): string {
  return readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');
}

describe('the guide and the dashboard', () => {
  it('list every metric as it is', () => {
    const rows = read('docs/metrics.md')
      .split('\n')
      .filter((line) => line.startsWith('| `flight_recorder_'))
      .map((line) =>
        line
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim()),
      );
    expect(rows).toEqual(
      ownMetrics.map(({ name, type, of, labels, help }) => [
        `\`${name}\``,
        of === 'shared' ? `${type}, shared` : type,
        labels.map((label) => `\`${label}\``).join(', '),
        help,
      ]),
    );
  });

  /** Of a query: `{name, labels}` of each metric, with the suffixes of histograms taken off. */
  async function listKnown(): Promise<ReadonlyMap<string, readonly string[]>> {
    const served = (await scrape()).flatMap((line) => /^# TYPE (\w+)/.exec(line)?.[1] ?? []);
    const own = ownMetrics.flatMap(({ name, type, labels }) =>
      type === 'histogram' ? [[`${name}_bucket`, [...labels, 'le']] as const] : [[name, labels] as const],
    );
    return new Map([...served.map((name) => [name, []] as const), ...own]);
  }

  it('ask only for metrics and labels that exist', async () => {
    const known = await listKnown();
    const dashboard: { panels: { type: string; targets?: { expr: string; legendFormat: string }[] }[] } = JSON.parse(
      read('deploy/grafana/flight-recorder.json'),
    );
    const targets = dashboard.panels.flatMap(({ targets: of = [] }) => of);
    expect(targets.length).toBeGreaterThan(30);
    const asked = new Set<string>();
    for (const { expr, legendFormat } of targets) {
      const names = expr.match(/\b(?:flight_recorder|process|nodejs)_\w+/g) ?? [];
      expect(names.length, expr).toBeGreaterThan(0);
      for (const name of names) {
        expect([...known.keys()], expr).toContain(name);
        asked.add(name);
      }
      const allowed = ['job', 'instance', 'worker', ...names.flatMap((name) => known.get(name) ?? [])];
      const grouped = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) =>
        list.split(',').map((one) => one.trim()),
      );
      const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label);
      for (const label of [...grouped, ...shown]) expect(allowed, expr).toContain(label);
    }
    const unseen = ownMetrics
      .filter(({ name }) => !asked.has(name) && !asked.has(`${name}_bucket`))
      .map(({ name }) => name);
    expect(unseen).toEqual([
      'flight_recorder_processes',
      'flight_recorder_write_queue_bytes',
      // Only with PostgreSQL: the guide has alerts on them.
      'flight_recorder_database_away',
    ]);
    const queried = read('docs/metrics.md').match(/expr: .*/g) ?? [];
    expect(queried).toHaveLength(8);
    const named = queried.join('\n').match(/flight_recorder_\w+/g) ?? [];
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });
});

describe('what waits while PostgreSQL is away', () => {
  const names = ['database_away', 'spool_bytes', 'spool_limit_bytes', 'spool_records_total', 'spool_lost_total'];

  async function scrapeSpool(): Promise<readonly string[]> {
    const lines = await scrape();
    return names.flatMap((name) => findSamples(lines, `flight_recorder_${name}`));
  }

  it.skipIf(testedEngine === 'postgres')('is not told with SQLite', async () => {
    expect(await scrapeSpool()).toEqual([]);
  });

  it('is told with what was lost', async () => {
    const counts = { spooled: 9, written: 4, full: 3, refused: 2, damaged: 1 };
    const reads = vi.spyOn(keeping, 'readSpoolState');
    reads.mockReturnValue({ goneSince: 1, bytes: 512, limitBytes: 1024, ...counts });
    expect(await scrapeSpool()).toEqual([
      'flight_recorder_database_away 1',
      'flight_recorder_spool_bytes 512',
      'flight_recorder_spool_limit_bytes 1024',
      'flight_recorder_spool_records_total{outcome="spooled"} 9',
      'flight_recorder_spool_records_total{outcome="written"} 4',
      'flight_recorder_spool_lost_total{reason="full"} 3',
      'flight_recorder_spool_lost_total{reason="refused"} 2',
      'flight_recorder_spool_lost_total{reason="damaged"} 1',
    ]);
    reads.mockReturnValue({ goneSince: undefined, bytes: 0, limitBytes: 1024, ...counts });
    expect((await scrapeSpool()).slice(0, 2)).toEqual([
      'flight_recorder_database_away 0',
      'flight_recorder_spool_bytes 0',
    ]);
    reads.mockRestore();
  });
});
