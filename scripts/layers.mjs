/**
 * Who may import whom. This is the only list: the lint rule `house/layers` enforces it, and AGENTS.md shows it
 * (layers.test.mjs compares them). An entry is a layer (without the layers inside it), or a file or folder of one. A layer may
 * always import itself. `flight` is packages/flight through its door, `#flight`.
 */
export const everything = '*';

/** What stands below all others. Only `flight`, which is a package by itself, does without. */
export const base = ['http', 'environment'];

/** What a page shows and a middleware answers with. */
export const product = ['recorder', 'recorder/for-operator', 'reports', 'operator', 'flight', 'runtime'];

const requireOperator = 'operator/require-operator.ts';

/** What each layer may import besides `base`. */
const besides = {
  pages: [everything],
  'waku.server.tsx': [everything],
  'waku.client.tsx': [everything],
  middleware: product,
  actions: product,
  components: ['actions', ...product],
  lab: ['actions', 'components', ...product],
  'recorder/for-operator': ['recorder', requireOperator, 'store/sqlite-errors.ts'],
  reports: ['store', requireOperator, 'runtime/settings.ts', 'runtime/errors', 'runtime/reporting/local-dsn.ts'],
  recorder: ['store', 'runtime/settings.ts', 'runtime/renderer'],
  operator: ['store'],
  host: ['runtime'],
  'flight-command': ['flight'],
  runtime: [],
  store: [],
  http: [],
  environment: [],
};

export const layers = {
  ...Object.fromEntries(Object.entries(besides).map(([layer, allowed]) => [layer, [...base, ...allowed]])),
  flight: [],
};

function printAllowed(allowed) {
  if (allowed.includes(everything)) return 'everything';
  const isGrouped = product.every((entry) => allowed.includes(entry));
  const others = allowed.filter((entry) => !isGrouped || !product.includes(entry)).map((entry) => `\`${entry}\``);
  return [...(isGrouped ? ['the product'] : []), ...others].join(', ') || 'nothing more';
}

/** The table of AGENTS.md: layers with the same rights share a line. */
export function printLayers() {
  const lines = new Map();
  for (const [layer, allowed] of Object.entries(besides)) {
    const printed = printAllowed(allowed);
    lines.set(printed, [...(lines.get(printed) ?? []), `\`${layer}\``]);
  }
  return [...lines].map(([allowed, names]) => ({ names: names.join(', '), allowed }));
}
