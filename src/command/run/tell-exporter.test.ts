import { afterEach, expect, it, vi } from 'vitest';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
});

/** Variables are those that the process was started with. */
async function tell(variables: Readonly<Record<string, string>> = {}) {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  vi.resetModules();
  const { tellExporter } = await import('./tell-exporter.ts');
  return tellExporter('http://127.0.0.1:4000/api/shop/otlp/v1/traces', 'k+/');
}

it('tells the app’s exporter where to send, with its key as such a variable spells it', async () => {
  expect(await tell()).toEqual({
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:4000/api/shop/otlp/v1/traces',
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'authorization=Bearer%20k%2B%2F',
  });
});

it.each(['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_TRACES_EXPORTER'])(
  'leaves what somebody has chosen with %s',
  async (name) => {
    expect(await tell({ [name]: 'x' })).toEqual({});
  },
);
