import { createContextKey, ROOT_CONTEXT, trace, TraceFlags, type Attributes, type Context } from '@opentelemetry/api';
import { SeverityNumber, type LogRecord } from '@opentelemetry/api-logs';
import type { LogRecordProcessor } from '@opentelemetry/sdk-logs';
import {
  ATTR_EXCEPTION_MESSAGE,
  ATTR_EXCEPTION_STACKTRACE,
  ATTR_EXCEPTION_TYPE,
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_ROUTE,
  ATTR_URL_PATH,
} from '@opentelemetry/semantic-conventions';

import { toSpanId, type ExportedError } from './exported.ts';

/**
 * A stored error as a log record of OpenTelemetry, in the trace of its request and, where the flight is told by us, in its span:
 * https://opentelemetry.io/docs/specs/semconv/exceptions/exceptions-logs/
 */

/** The trace of an error whose span nobody knows. */
const traceKey = createContextKey('flight-recorder: trace');

function toContext({ traceId, requestId, hasFlight }: ExportedError): Context {
  if (traceId === '') return ROOT_CONTEXT;
  const spanId = hasFlight ? toSpanId(requestId) : undefined;
  if (spanId === undefined) return ROOT_CONTEXT.setValue(traceKey, traceId);
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: TraceFlags.SAMPLED });
}

/** OpenTelemetry's API takes a span or nothing; a record may have a trace alone. Stands before the processor that keeps them. */
export const keepTraceAlone: LogRecordProcessor = {
  onEmit(record, context) {
    const traceId = context?.getValue(traceKey);
    if (typeof traceId === 'string') record.spanContext = { traceId, spanId: '', traceFlags: TraceFlags.SAMPLED };
  },
  forceFlush: () => Promise.resolve(),
  shutdown: () => Promise.resolve(),
};

/** What is empty is left out. */
function withValues(attributes: Readonly<Record<string, string | undefined>>): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined && value !== ''));
}

export function toLogRecord(error: ExportedError): LogRecord {
  const { name, message, time } = error;
  return {
    timestamp: time,
    severityNumber: SeverityNumber.ERROR,
    severityText: 'ERROR',
    eventName: 'exception',
    body: `${name}: ${message}`,
    context: toContext(error),
    attributes: withValues({
      [ATTR_EXCEPTION_TYPE]: name,
      [ATTR_EXCEPTION_MESSAGE]: message,
      [ATTR_EXCEPTION_STACKTRACE]: error.stack,
      [ATTR_HTTP_REQUEST_METHOD]: error.method,
      [ATTR_HTTP_ROUTE]: error.route,
      [ATTR_URL_PATH]: error.path,
      'flight.app': error.app,
      'flight.digest': error.digest,
      'flight.fault': error.fault,
      'flight.phase': error.phase,
      'flight.kind': error.kind,
      'flight.build': error.release,
      'flight.request_id': error.requestId,
    }),
  };
}
