/**
 * Who may import whom. This is the only list: the lint rule `house/layers` enforces it, and AGENTS.md shows it
 * (layers.test.mjs compares them). An entry is a layer (without the layers inside it), or a file or folder of one. A layer may
 * always import itself. `flight` is packages/flight through its door, `#flight`.
 */
export const everything = '*';

/** Who may import `http`: all but those of `alone`. */
export const base = ['http'];

/** What a page shows and a middleware answers with. */
export const product = [
  'recorder',
  'recorder/for-operator',
  'reports',
  'alerts',
  'apps',
  'apps/for-operator',
  'operator',
  'flight',
  'runtime',
];

/** Of the pages' interface: what the viewer shows things with. */
const shared = [
  'components/control-flow.ts',
  'components/empty-state.tsx',
  'components/facts.tsx',
  'components/panel.tsx',
];

const requireOperator = 'operator/require-operator.ts';
const requireReader = 'operator/require-reader.ts';

/** What each layer may import besides `base`. `environment` reads the process's variables: nothing that a browser shares may. */
const besides = {
  pages: [everything],
  'waku.server.tsx': [everything],
  'waku.client.tsx': [everything],
  start: [...product, 'store', 'environment', 'workers'],
  middleware: ['api', ...product, 'metrics', 'environment'],
  api: [
    ...product,
    'store/own-app.ts',
    'components/search-field.ts',
    'components/show-digest.ts',
    'components/faults/describe-grouping.ts',
    'components/faults/fault-query.ts',
    'components/flights/flight-query.ts',
    'components/incident/format-stack.ts',
  ],
  actions: [...product, 'environment', 'store/own-app.ts'],
  components: ['actions', ...product, 'viewer', 'store/own-app.ts'],
  viewer: ['flight', 'runtime', ...shared],
  lab: ['actions', 'components', 'viewer', ...product, 'environment'],
  'recorder/for-operator': [
    'recorder',
    'apps',
    requireOperator,
    requireReader,
    'store/engine-of.ts',
    'store/own-app.ts',
    'store/sqlite-errors.ts',
  ],
  reports: [
    'store',
    'environment',
    'apps',
    requireOperator,
    requireReader,
    'runtime/settings.ts',
    'runtime/errors',
    'runtime/reporting/local-dsn.ts',
    'sender/app-error.ts',
    'telemetry/told.ts',
  ],
  recorder: [
    'store',
    'environment',
    'flight',
    'apps/recorder-url.ts',
    'proxy/watch.ts',
    'runtime/settings.ts',
    'runtime/renderer',
    'telemetry',
  ],
  alerts: ['store', 'environment', 'apps', requireOperator, 'flight'],
  operator: ['store', 'environment'],
  apps: ['store', 'environment'],
  'apps/for-operator': ['apps', 'store', requireOperator, requireReader],
  next: ['sender'],
  rsc: ['sender', 'runtime/errors/digest.ts'],
  sender: ['apps/recorder-url.ts', 'runtime/errors/stack.ts', 'runtime/errors/strip-terminal-codes.ts'],
  proxy: ['port', 'environment'],
  command: [everything],
  waku: [everything],
  budgets: ['flight', 'flight-command'],
  host: ['runtime', 'environment', 'port', 'workers'],
  runtime: [],
  port: [],
  store: ['environment', 'workers'],
  http: ['environment', 'workers/this-worker.ts'],
  workers: [],
  'workers/primary': ['workers', 'store', 'environment'],
  telemetry: ['environment'],
  metrics: [...product, 'store', 'environment', 'telemetry', 'workers'],
};

/** These also run where nothing is installed or built: they import what is named here, and no more. */
export const alone = {
  'flight-command': ['flight', 'http/escape-text.ts', 'http/describe-error.ts', 'http/waku-addresses.ts'],
  environment: ['http/escape-text.ts', 'http/is-record.ts'],
  flight: [],
};

export const layers = {
  ...Object.fromEntries(Object.entries(besides).map(([layer, allowed]) => [layer, [...base, ...allowed]])),
  ...alone,
};

function printAllowed(allowed) {
  if (allowed.includes(everything)) return 'everything';
  const isGrouped = product.every((entry) => allowed.includes(entry));
  const others = allowed.filter((entry) => !isGrouped || !product.includes(entry)).map((entry) => `\`${entry}\``);
  return [...(isGrouped ? ['the product'] : []), ...others].join(', ') || 'nothing';
}

/** The table of AGENTS.md: layers with the same rights share a line. */
export function printLayers() {
  const lines = new Map();
  for (const [layer, allowed] of Object.entries({ ...besides, ...alone })) {
    const printed = printAllowed(allowed);
    lines.set(printed, [...(lines.get(printed) ?? []), `\`${layer}\``]);
  }
  return [...lines].map(([allowed, names]) => ({ names: names.join(', '), allowed }));
}
