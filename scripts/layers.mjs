/**
 * Who may import whom, once: the lint rule `house/layers` keeps it, and AGENTS.md shows it (layers.test.mjs compares them).
 * An entry is a layer (without the layers inside it), or a file or folder of one. A layer may always import itself. `flight` is packages/flight by its
 * door, `#flight`.
 */
export const everything = '*';

const product = ['recorder', 'recorder/for-operator', 'reports', 'operator', 'flight', 'runtime', 'http'];

export const layers = {
  pages: [everything],
  'waku.server.tsx': [everything],
  'waku.client.tsx': [everything],
  middleware: product,
  actions: product,
  components: ['actions', ...product],
  lab: ['actions', 'components', ...product],
  'recorder/for-operator': ['recorder', 'http', 'operator/require-operator.ts'],
  recorder: ['store', 'http', 'runtime/settings.ts', 'runtime/renderer', 'runtime/reporting/usage-protocol.ts'],
  reports: [
    'store',
    'flight',
    'http',
    'operator/require-operator.ts',
    'runtime/settings.ts',
    'runtime/errors',
    'runtime/reporting/local-dsn.ts',
  ],
  operator: ['store', 'http', 'runtime/settings.ts'],
  host: ['runtime', 'http'],
  runtime: ['http'],
  'flight-command': ['flight', 'http/escape-text.ts'],
  http: [],
  store: [],
  flight: [],
};

/** The layers with the same rights stand in one line. */
export function printLayers() {
  const lines = new Map();
  for (const [layer, allowed] of Object.entries(layers)) {
    const key = allowed.includes(everything)
      ? 'everything'
      : allowed.map((name) => `\`${name}\``).join(', ') || 'nothing of ours';
    lines.set(key, [...(lines.get(key) ?? []), `\`${layer}\``]);
  }
  return [...lines].map(([allowed, names]) => ({ names: names.join(', '), allowed }));
}
