import { setTimeout as wait } from 'node:timers/promises';

import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider, type ReadableLogRecord } from '@opentelemetry/sdk-logs';
import { BatchSpanProcessor, type ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { ATTR_SERVICE_NAME } from '@opentelemetry/semantic-conventions';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPExporterBase } from '@opentelemetry/otlp-exporter-base';
import { convertLegacyHttpOptions, createOtlpHttpExportDelegate } from '@opentelemetry/otlp-exporter-base/node-http';
import {
  LogsExporterMetricsHelper,
  ProtobufLogsSerializer,
  ProtobufTraceSerializer,
  TraceExporterMetricsHelper,
} from '@opentelemetry/otlp-transformer';

import { boundExporter } from './bounded-exporter.ts';
import { openCounts, type Signal } from './counts.ts';
import type { Protocol, TelemetrySettings } from './settings.ts';
import { keepTraceAlone, toLogRecord } from './to-log-record.ts';
import { toSpan } from './to-span.ts';
import type { ExportedError, ExportedFlight } from './exported.ts';

/**
 * Sends flights as spans and errors as log records, through OpenTelemetry's own processors and exporters. It is loaded only where
 * an endpoint is set (settings.ts), in the thread that writes flights: a page neither waits for it nor shares its processor time.
 *
 * Nothing here is kept for certain. What waits for the collector is bounded; what is beyond it, what the collector refuses, and
 * what waits longer than the stop does, is counted as lost.
 */
export type Telemetry = {
  readonly tellFlights: (flights: readonly ExportedFlight[]) => void;
  readonly tellErrors: (errors: readonly ExportedError[]) => void;
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

/**
 * OpenTelemetry's exporters over HTTP, which read addresses, headers, timeouts, compression and certificates from the variables of
 * their specification. Those for JSON are packages; those for protobuf differ from them in two arguments, and are made here.
 */
const protobufType = { 'Content-Type': 'application/x-protobuf' };

function createSpanExporter(protocol: Protocol): OTLPExporterBase<ReadableSpan[]> {
  if (protocol === 'http/json') return new OTLPTraceExporter();
  const options = convertLegacyHttpOptions({}, 'TRACES', 'v1/traces', protobufType);
  const name = 'otlp_http_span_exporter';
  return new OTLPExporterBase(
    createOtlpHttpExportDelegate(options, ProtobufTraceSerializer, name, TraceExporterMetricsHelper, undefined),
  );
}

function createLogExporter(protocol: Protocol): OTLPExporterBase<ReadableLogRecord[]> {
  if (protocol === 'http/json') return new OTLPLogExporter();
  const options = convertLegacyHttpOptions({}, 'LOGS', 'v1/logs', protobufType);
  const name = 'otlp_http_log_exporter';
  return new OTLPExporterBase(
    createOtlpHttpExportDelegate(options, ProtobufLogsSerializer, name, LogsExporterMetricsHelper, undefined),
  );
}

function createSpans(protocol: TelemetrySettings['traces'], { resource, ...parts }: Parts): Sender<ExportedFlight> {
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

function createLogs(protocol: TelemetrySettings['logs'], { resource, ...parts }: Parts): Sender<ExportedError> {
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
