import { readVariable } from '#src/server/environment/variables.ts';

/** Somebody who has set one of these sends the app's traces where they want them: nothing is changed then. */
const chosen = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_TRACES_EXPORTER'];

/**
 * Where OpenTelemetry in the app sends its spans, as its exporters read it:
 * https://opentelemetry.io/docs/specs/otel/protocol/exporter/. An app without OpenTelemetry does not look at them.
 */
export function tellExporter(endpoint: string, key: string): Readonly<Record<string, string>> {
  if (chosen.some((name) => readVariable(name) !== undefined)) return {};
  return {
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: `authorization=${encodeURIComponent(`Bearer ${key}`)}`,
  };
}
