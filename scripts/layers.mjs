/**
 * Who may import whom. This is the only list: the lint rule `house/layers` enforces it, and AGENTS.md shows it
 * (layers.test.mjs compares them). An entry is a layer, or a file or folder of one. A layer may always import itself.
 * `flight` is packages/flight through its door, `#flight`.
 */
export const everything = '*';

const product = ['recorder', 'reports', 'operator', 'flight', 'runtime', 'http'];

export const layers = {
  pages: [everything],
  'waku.server.tsx': [everything],
  'waku.client.tsx': [everything],
  middleware: product,
  actions: product,
  components: ['actions', ...product],
  lab: ['actions', 'components', ...product],
  recorder: [
    'store',
    'flight',
    'http',
    'operator/require-operator.ts',
    'runtime/settings.ts',
    'runtime/errors',
    'runtime/renderer',
    'runtime/reporting/usage-protocol.ts',
  ],
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
