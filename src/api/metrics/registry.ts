import 'server-only';

import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

import { describeError } from '#boundary';
import { writeLog } from '#src/server/http/log.ts';

import { describeMetric, type Metric, type Observation, type Sample } from './metric.ts';
import { requestMetrics } from './process-metrics.ts';
import { recorderMetrics } from './recorder-metrics.ts';
import { storeMetrics } from './store-metrics.ts';

/**
 * Our metrics as prom-client's, and its own about the process. It is loaded by the first scrape: until then nobody has paid for it.
 * Each metric is read when somebody asks, and holds nothing in between.
 */

export const ownMetrics: readonly Metric[] = [...requestMetrics, ...recorderMetrics, ...storeMetrics];

/** A database that cannot be read must not hide what the rest says: then it is most wanted. */
async function readOrNone(metric: Extract<Metric, { type: 'counter' | 'gauge' }>): Promise<readonly Sample[]> {
  try {
    return await metric.read();
  } catch (error) {
    writeLog('warn', 'metric-not-read', { metric: metric.name, reason: describeError(error) });
    return [];
  }
}

type Bucket = {
  readonly metricName: string;
  /** Prom-client's: those of all buckets. */
  readonly sharedLabels: object;
  readonly labels: Record<string, string | number>;
  readonly value: number;
};

/** A bucket's `le` stands first, as prom-client writes it. */
function toBuckets(name: string, { labels, observed }: Observation): Bucket[] {
  const { bounds, cumulative, sum } = observed;
  const all = cumulative.at(-1) ?? 0;
  return [
    ...cumulative.map((value, index) => ({
      metricName: `${name}_bucket`,
      sharedLabels: {},
      labels: { le: bounds[index] ?? '+Inf', ...labels },
      value,
    })),
    { metricName: `${name}_sum`, sharedLabels: {}, labels: { ...labels }, value: sum },
    { metricName: `${name}_count`, sharedLabels: {}, labels: { ...labels }, value: all },
  ];
}

function register(metric: Metric, registry: Registry): void {
  const { name, labels } = metric;
  const common = { name, help: describeMetric(metric), labelNames: labels, registers: [registry] };
  switch (metric.type) {
    case 'counter': {
      const counter = new Counter({
        ...common,
        async collect() {
          const samples = await readOrNone(metric);
          counter.reset();
          for (const sample of samples) counter.inc(sample.labels, sample.value);
        },
      });
      return;
    }
    case 'gauge': {
      const gauge = new Gauge({
        ...common,
        async collect() {
          const samples = await readOrNone(metric);
          gauge.reset();
          // Otherwise what is not known would be told as 0.
          if (samples.length === 0 && labels.length === 0) gauge.remove();
          for (const sample of samples) gauge.set(sample.labels, sample.value);
        },
      });
      return;
    }
    case 'histogram': {
      const { read: observe } = metric;
      const empty = new Histogram({ ...common, registers: [] });
      // prom-client's own asks this one for its values, whatever form it writes.
      async function getForPromString() {
        const values = observe().flatMap((observation) => toBuckets(name, observation));
        return { ...(await empty.get()), values };
      }
      Object.assign(new Histogram(common), { getForPromString });
    }
  }
}

/** Prom-client's gauges that are named as counters. Each is the sum of the one without `_total`, so nothing is lost. */
const misnamed = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

type ServedMetrics = { readonly contentType: string; readonly text: string };

export type Metrics = { readonly serve: () => Promise<ServedMetrics> };

export function createMetrics(metrics: readonly Metric[] = ownMetrics): Metrics {
  const registry = new Registry();
  for (const metric of metrics) register(metric, registry);
  collectDefaultMetrics({ register: registry });
  for (const name of misnamed) registry.removeSingleMetric(name);
  return { serve: async () => ({ contentType: registry.contentType, text: await registry.metrics() }) };
}
