import { setTimeout as wait } from 'node:timers/promises';

import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import { BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { ATTR_SERVICE_NAME } from '@opentelemetry/semantic-conventions';

import { boundExporter } from './bounded-exporter.ts';
import { openCounts, type Signal } from './counts.ts';
import { createLogExporter, createSpanExporter } from './exporters.ts';
import type { TelemetrySettings } from './settings.ts';
import { keepTraceAlone, toLogRecord } from './to-log-record.ts';
import { toSpan } from './to-span.ts';
import type { ToldError, ToldFlight } from './told.ts';

/**
 * Sends flights as spans and errors as log records, through OpenTelemetry's own processors and exporters. It is loaded only where
 * an endpoint is set (settings.ts), in the thread that writes flights: a page neither waits for it nor shares its processor time.
 *
 * Nothing here is kept for certain. What waits for the collector is bounded; what is beyond it, what the collector refuses, and
 * what waits longer than the stop does, is counted as lost.
 */
export type Telemetry = {
  readonly tellFlights: (flights: readonly ToldFlight[]) => void;
  readonly tellErrors: (errors: readonly ToldError[]) => void;
  /** Sends what waits, for a bounded time. */
  readonly stop: () => Promise<void>;
};

export type TelemetryOptions = {
  readonly settings: TelemetrySettings;
  /** createCountsBuffer's. */
  readonly counts: SharedArrayBuffer;
  readonly onFailure: (signal: Signal, reason: string) => void;
};

/** OpenTelemetry's default. A span takes some two kilobytes, an error up to fifty. */
const spansWaiting = 2_048;
const errorsWaiting = 512;
const batchSize = 256;
/** OpenTelemetry's default is 5 s for spans and 1 s for logs: an error and its page are then seen together. */
const batchMs = 1_000;
/** A stop waits as long for the last errors to be stored. */
const stopMs = 2_000;

/** `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` count before our own name. */
function createResource() {
  return defaultResource()
    .merge(resourceFromAttributes({ [ATTR_SERVICE_NAME]: 'flight-recorder' }))
    .merge(detectResources({ detectors: [envDetector] }));
}

const instrumentationScope = { name: 'flight-recorder' };

type Sender<Told> = { readonly tell: (told: readonly Told[]) => void; readonly stop: () => Promise<void> };

type Parts = {
  readonly resource: ReturnType<typeof createResource>;
  readonly counts: ReturnType<typeof openCounts>;
  readonly onFailure: TelemetryOptions['onFailure'];
};

function sendNothing<Told>(): Sender<Told> {
  return { tell: () => undefined, stop: () => Promise.resolve() };
}

function createSpans(protocol: TelemetrySettings['traces'], { resource, ...parts }: Parts): Sender<ToldFlight> {
  if (!protocol) return sendNothing();
  const exporter = boundExporter(createSpanExporter(protocol), 'traces', { ...parts, limit: spansWaiting });
  const processor = new BatchSpanProcessor(exporter, {
    maxQueueSize: spansWaiting,
    maxExportBatchSize: batchSize,
    scheduledDelayMillis: batchMs,
  });
  return {
    tell(flights) {
      for (const flight of flights) {
        if (exporter.admit()) processor.onEnd(toSpan(flight, { resource, instrumentationScope }));
      }
    },
    stop: () => processor.shutdown(),
  };
}

function createLogs(protocol: TelemetrySettings['logs'], { resource, ...parts }: Parts): Sender<ToldError> {
  if (!protocol) return sendNothing();
  const exporter = boundExporter(createLogExporter(protocol), 'logs', { ...parts, limit: errorsWaiting });
  const processor = new BatchLogRecordProcessor({
    exporter,
    maxQueueSize: errorsWaiting,
    maxExportBatchSize: batchSize,
    scheduledDelayMillis: batchMs,
  });
  const provider = new LoggerProvider({ resource, processors: [keepTraceAlone, processor] });
  const logger = provider.getLogger(instrumentationScope.name);
  return {
    tell(errors) {
      for (const error of errors) {
        if (exporter.admit()) logger.emit(toLogRecord(error));
      }
    },
    stop: () => provider.shutdown(),
  };
}

export function startTelemetry({ settings, counts: buffer, onFailure }: TelemetryOptions): Telemetry {
  const counts = openCounts(buffer);
  const parts = { resource: createResource(), counts, onFailure };
  const spans = createSpans(settings.traces, parts);
  const logs = createLogs(settings.logs, parts);
  return {
    tellFlights: spans.tell,
    tellErrors: logs.tell,
    async stop() {
      const all = Promise.allSettled([spans.stop(), logs.stop()]);
      await Promise.race([all, wait(stopMs)]);
    },
  };
}
