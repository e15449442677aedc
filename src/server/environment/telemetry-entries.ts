import * as v from 'valibot';

import { anyText } from './entry.ts';

/** What an operator's own tools read of this server: /metrics, and OpenTelemetry. */

/** 16 characters that nobody can guess are more than can be tried over a network. */
const shortestKey = 16;

export const telemetryEntries = {
  METRICS_KEY: v.pipe(
    v.optional(
      v.pipe(
        v.string(),
        v.check(
          (given) => /^[\x21-\x7e]{16,200}$/.test(given),
          // The value is a secret: it is not shown.
          () => `must be ${shortestKey} to 200 printable characters without spaces`,
        ),
      ),
    ),
    v.description('the key for `/metrics`, as `Authorization: Bearer <key>`; without it only this machine may ask'),
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: v.pipe(
    anyText,
    v.description(
      'an OpenTelemetry collector, as `http://localhost:4318`: it gets each recorded flight and each error',
    ),
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: v.pipe(anyText, v.description('the same for flights alone, as a whole address')),
  OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: v.pipe(anyText, v.description('the same for errors alone, as a whole address')),
  OTEL_EXPORTER_OTLP_PROTOCOL: v.pipe(
    anyText,
    v.description('`http/protobuf` or `http/json`'),
    v.metadata({ unset: 'see below' }),
  ),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: v.pipe(anyText, v.description('the same for flights alone')),
  OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: v.pipe(anyText, v.description('the same for errors alone')),
  /** OpenTelemetry's packages read these three, and others that docs/opentelemetry.md names. */
  OTEL_EXPORTER_OTLP_HEADERS: v.pipe(anyText, v.description('headers for the collector, as `name=value,name=value`')),
  OTEL_SERVICE_NAME: v.pipe(anyText, v.description('the name of this service there; else `flight-recorder`')),
  OTEL_RESOURCE_ATTRIBUTES: v.pipe(anyText, v.description('what else is said of it, as `name=value,name=value`')),
  OTEL_TRACES_EXPORTER: v.pipe(anyText, v.description('`none`: no flights are sent')),
  OTEL_LOGS_EXPORTER: v.pipe(anyText, v.description('`none`: no errors are sent')),
  OTEL_SDK_DISABLED: v.pipe(anyText, v.description('`true`: nothing is sent')),
};
