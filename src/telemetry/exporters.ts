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
import type { ReadableLogRecord } from '@opentelemetry/sdk-logs';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';

import type { Protocol } from './settings.ts';

/**
 * OpenTelemetry's exporters over HTTP, which read addresses, headers, timeouts, compression and certificates from the variables of
 * their specification. Those for JSON are packages; those for protobuf differ from them in two arguments, and are made here.
 */
const protobufType = { 'Content-Type': 'application/x-protobuf' };

export function createSpanExporter(protocol: Protocol): OTLPExporterBase<ReadableSpan[]> {
  if (protocol === 'http/json') return new OTLPTraceExporter();
  const options = convertLegacyHttpOptions({}, 'TRACES', 'v1/traces', protobufType);
  const name = 'otlp_http_span_exporter';
  return new OTLPExporterBase(
    createOtlpHttpExportDelegate(options, ProtobufTraceSerializer, name, TraceExporterMetricsHelper, undefined),
  );
}

export function createLogExporter(protocol: Protocol): OTLPExporterBase<ReadableLogRecord[]> {
  if (protocol === 'http/json') return new OTLPLogExporter();
  const options = convertLegacyHttpOptions({}, 'LOGS', 'v1/logs', protobufType);
  const name = 'otlp_http_log_exporter';
  return new OTLPExporterBase(
    createOtlpHttpExportDelegate(options, ProtobufLogsSerializer, name, LogsExporterMetricsHelper, undefined),
  );
}
