import type { ReadSetting } from '#src/server/environment/read-setting.ts';

/**
 * Whether this process tells an OpenTelemetry collector what it records. The variables are OpenTelemetry's own. An app that is
 * started with `flight-recorder run` may have them for itself, so what we cannot do is said in the log and ends no start.
 * OpenTelemetry's packages read the rest of the variables (headers, timeouts, resource).
 */
export type TelemetrySettings = {
  readonly traces: Protocol | undefined;
  readonly logs: Protocol | undefined;
};

export type Protocol = 'http/protobuf' | 'http/json';

export type TelemetryChoice =
  | { readonly type: 'off' }
  | { readonly type: 'unfit'; readonly reason: string }
  | { readonly type: 'on'; readonly settings: TelemetrySettings };

type Signal = { readonly endpoint: string | undefined; readonly protocol: string; readonly exporter: string };

/** The specification's default. */
const defaultProtocol = 'http/protobuf';

function isProtocol(text: string): text is Protocol {
  return text === 'http/protobuf' || text === 'http/json';
}

function isWanted({ endpoint, exporter }: Signal): boolean {
  return endpoint !== undefined && exporter.split(',').some((name) => name.trim() === 'otlp');
}

function findProblem({ endpoint = '', protocol }: Signal): string | undefined {
  if (!isProtocol(protocol)) return `the protocol ${protocol} is not http/protobuf or http/json`;
  const url = URL.parse(endpoint);
  return url && /^https?:$/.test(url.protocol) ? undefined : 'the endpoint is no address of http or https';
}

function readSignals(read: ReadSetting): { readonly traces: Signal; readonly logs: Signal } {
  const endpoint = read('OTEL_EXPORTER_OTLP_ENDPOINT');
  const protocol = read('OTEL_EXPORTER_OTLP_PROTOCOL') ?? defaultProtocol;
  return {
    traces: {
      endpoint: read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ?? endpoint,
      protocol: read('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? protocol,
      exporter: read('OTEL_TRACES_EXPORTER') ?? 'otlp',
    },
    logs: {
      endpoint: read('OTEL_EXPORTER_OTLP_LOGS_ENDPOINT') ?? endpoint,
      protocol: read('OTEL_EXPORTER_OTLP_LOGS_PROTOCOL') ?? protocol,
      exporter: read('OTEL_LOGS_EXPORTER') ?? 'otlp',
    },
  };
}

export function chooseTelemetry(read: ReadSetting): TelemetryChoice {
  if (read('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return { type: 'off' };
  const { traces, logs } = readSignals(read);
  const wanted = [traces, logs].filter(isWanted);
  if (wanted.length === 0) return { type: 'off' };
  const reason = wanted.map(findProblem).find((problem) => problem !== undefined);
  if (reason !== undefined) return { type: 'unfit', reason };
  const toProtocol = (signal: Signal) =>
    isWanted(signal) && isProtocol(signal.protocol) ? signal.protocol : undefined;
  return { type: 'on', settings: { traces: toProtocol(traces), logs: toProtocol(logs) } };
}
