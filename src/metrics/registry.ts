import 'server-only';

import { AggregatorRegistry, collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

import { describeError } from '#src/http/describe-error.ts';
import { writeLog } from '#src/http/log.ts';
import { thisWorker } from '#src/workers/this-worker.ts';

import { describeMetric, type Metric, type Observation, type Sample } from './metric.ts';
import { askWorkers } from './other-workers.ts';
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
  // Of several workers, what they share is told once. What is their own differs in its label, so nothing is added up.
  const aggregator: 'first' | 'sum' = metric.of === 'shared' ? 'first' : 'sum';
  const common = { name, help: describeMetric(metric), labelNames: labels, registers: [registry], aggregator };
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

type ServedMetrics = { readonly contentType: string; readonly text: string };

export type Metrics = {
  /** What this process has counted, as prom-client passes it on. */
  readonly count: () => Promise<readonly object[]>;
  /** With what the other workers of this server have counted. */
  readonly serve: () => Promise<ServedMetrics>;
};

/**
 * What a worker has counted has its number as a label, and is not added to what the others have. A sum would fall when a worker is
 * replaced or answers too late, and Prometheus would take all that is left for new.
 */
export function createMetrics(metrics: readonly Metric[] = ownMetrics): Metrics {
  const registries = { process: new Registry(), shared: new Registry() };
  for (const metric of metrics) register(metric, registries[metric.of]);
  collectDefaultMetrics({ register: registries.process });
  const worker = thisWorker();
  if (worker) registries.process.setDefaultLabels({ worker: String(worker.number) });
  const whole = Registry.merge([registries.process, registries.shared]);
  async function count() {
    const counted = await Promise.all([registries.process.getMetricsAsJSON(), registries.shared.getMetricsAsJSON()]);
    return counted.flat();
  }
  return {
    count,
    async serve() {
      const all = worker ? AggregatorRegistry.aggregate([await count(), ...(await askWorkers())]) : whole;
      return { contentType: whole.contentType, text: await all.metrics() };
    },
  };
}
