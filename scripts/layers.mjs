/**
 * Who may import whom. This is the only list: the lint rule `house/layers` enforces it, and AGENTS.md shows it
 * (layers.test.mjs compares them). An entry is a layer (without the layers inside it), or a file or
 * folder of one. A layer may always import itself.
 * `flight` is packages/flight through its door, `#flight`.
 */
export const everything = '*';

const product = [
  'recorder',
  'recorder/for-operator',
  'reports',
  'operator',
  'flight',
  'runtime',
  'http',
  'environment',
];

export const layers = {
  pages: [everything],
  'waku.server.tsx': [everything],
  'waku.client.tsx': [everything],
  middleware: product,
  actions: product,
  components: ['actions', 'recorder', 'recorder/for-operator', 'reports', 'operator', 'flight', 'runtime', 'http'],
  lab: ['actions', 'components', ...product],
  'recorder/for-operator': ['recorder', 'http', 'operator/require-operator.ts', 'store/sqlite-errors.ts'],
  recorder: ['store', 'http', 'environment', 'runtime/settings.ts', 'runtime/renderer'],
  reports: [
    'store',
    'flight',
    'http',
    'environment',
    'operator/require-operator.ts',
    'runtime/settings.ts',
    'runtime/errors',
    'runtime/reporting/local-dsn.ts',
  ],
  operator: ['store', 'http', 'environment', 'runtime/settings.ts'],
  host: ['runtime', 'http', 'environment'],
  runtime: ['http'],
  'flight-command': ['flight', 'http/escape-text.ts', 'http/describe-error.ts'],
  store: ['environment', 'http/describe-error.ts', 'http/is-record.ts'],
  http: ['environment'],
  environment: ['http/escape-text.ts', 'http/is-record.ts'],
  flight: [],
};
