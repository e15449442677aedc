/**
 * One request, as what it is made of: small enough to be printed, and repeated from the print. write-request.ts makes its bytes.
 */
const shapes = [
  'none',
  'text',
  'nested-lists',
  'nested-objects',
  'many-keys',
  'event-texts',
  'event-message',
  'event-parameters',
  'event-causes',
  'event-frames',
  'event-tags',
  'items',
  'form',
  'multipart',
  'policy-report',
] as const;

const encodings = ['identity', 'gzip', 'deflate', 'br', 'zstd'] as const;

/** What strangers reach: `src/access/public-routes.ts` and the middlewares above `access`. */
export const endpoints = {
  tunnel: 'POST /tunnel',
  envelope: 'POST /api/shop/envelope/',
  store: 'POST /api/shop/store/',
  policy: 'POST /csp-report',
  feedback: 'POST /feedback',
  errors: 'POST /api/shop/errors',
  flights: 'POST /api/shop/flights',
  maps: 'POST /api/0/organizations/any/chunk-upload/',
  api: 'GET /api/v1/faults',
  login: 'POST /login',
  signIn: 'GET /login',
  logout: 'POST /logout',
  action: 'POST /lab/actions',
  serverFunction: 'POST /RSC/F/0/a.txt',
  page: 'GET /',
  payload: 'GET /RSC/R/_root.txt',
  lookUp: 'GET /digest',
  usage: 'POST /_api/flight-usage',
  announcement: 'GET /_api/app',
  health: 'GET /healthz',
  ready: 'GET /readyz',
  metrics: 'GET /metrics',
  icon: 'GET /favicon.svg',
  script: 'GET /assets/{script}',
  proxy: 'POST /upload',
} as const;

/** What texts are repeated of: beginnings of what the rules of scrubbing look for, escapes, and what JSON and Unicode make long. */
const parts = [
  'a',
  'one long text ',
  '%41',
  '%2525',
  '=&%41?',
  '?a=',
  'pass%77ord%3D',
  'password="',
  'eyJ-',
  'f:',
  '4111 ',
  '@a.aa',
  '://',
  'x@y.zz ',
  'at f (/a/b.js:1:2)\n',
  '%s',
  '{0}',
  '\u0001',
  '\u00e9',
  '\u{1f600}',
  '"',
  '\\',
  '\n',
  'bytes=0-1,',
  'a-b_c.',
] as const;

export type Recipe = {
  readonly endpoint: keyof typeof endpoints;
  readonly shape: (typeof shapes)[number];
  readonly part: (typeof parts)[number];
  /** Of the body before it is encoded, about. */
  readonly bytes: number;
  /** Items, keys, causes, frames. */
  readonly count: number;
  readonly depth: number;
  readonly encoding: (typeof encodings)[number];
  /** 0: with a length, in one piece. Else in chunks of so many bytes. */
  readonly chunk: number;
  readonly query: number;
  readonly headers: number;
  /** The body comes in so many writes, with a pause between them. */
  readonly writes: number;
};

export type Random = () => number;

/** Mulberry32: the same numbers for the same seed. */
export function createRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = Math.trunc(state + 0x6d2b79f5);
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function pick<T>(random: Random, list: readonly T[]): T {
  const found = list[Math.floor(random() * list.length)];
  if (found === undefined) throw new Error('nothing to pick from');
  return found;
}

/** Twice as large as often as half as large; one in five is of any size: a limit may be far from where the search is. */
function scale(random: Random, value: number, least: number, most: number): number {
  if (random() < 0.2) return Math.round(Math.max(1, least) * (most / Math.max(1, least)) ** random());
  return Math.round(Math.min(most, Math.max(least, value * 4 ** (random() * 2 - 1))));
}

/** An encoded body may be a thousand times as large as what is sent. */
const mostBytes = 8 * 2 ** 20;
const names = Object.keys(endpoints).filter((name): name is keyof typeof endpoints => name in endpoints);

/** One to three changes. */
export function mutate(random: Random, recipe: Recipe): Recipe {
  const sizes: readonly (() => Partial<Recipe>)[] = [
    () => ({ bytes: scale(random, recipe.bytes, 16, recipe.encoding === 'identity' ? 2 ** 20 : mostBytes) }),
    () => ({ count: scale(random, recipe.count, 1, 200_000) }),
    () => ({ depth: scale(random, recipe.depth, 1, 200_000) }),
  ];
  const changes: readonly (() => Partial<Recipe>)[] = [
    ...sizes,
    // Most often: they are what a cost grows with.
    ...sizes,
    ...sizes,
    () => ({ part: pick(random, parts) }),
    () => ({ part: pick(random, parts) }),
    () => ({ shape: pick(random, shapes) }),
    () => ({ encoding: pick(random, encodings) }),
    () => ({ endpoint: pick(random, names) }),
    () => ({ chunk: pick(random, [0, 0, 1, 16, 600, 4_096, 65_536]) }),
    () => ({ query: scale(random, recipe.query + 1, 0, 15_000) }),
    () => ({ headers: scale(random, recipe.headers + 1, 0, 95) }),
    () => ({ writes: pick(random, [1, 1, 2, 20]) }),
  ];
  let changed = recipe;
  for (let left = 1 + Math.floor(random() * 3); left > 0; left -= 1) {
    changed = { ...changed, ...pick(random, changes)() };
  }
  return changed;
}

const plain: Recipe = {
  endpoint: 'page',
  shape: 'none',
  part: 'a',
  bytes: 200_000,
  count: 100,
  depth: 100,
  encoding: 'identity',
  chunk: 0,
  query: 0,
  headers: 0,
  writes: 1,
};

/** Every endpoint as it is meant, and every shape where it is read. */
export function listSeeds(): readonly Recipe[] {
  return [
    ...names.map((endpoint): Recipe => ({
      ...plain,
      endpoint,
      shape: endpoints[endpoint].startsWith('GET') ? 'none' : 'form',
    })),
    ...shapes.map((shape): Recipe => ({ ...plain, endpoint: 'tunnel', shape })),
    ...encodings.map((encoding): Recipe => ({ ...plain, endpoint: 'envelope', shape: 'event-texts', encoding })),
    { ...plain, endpoint: 'store', shape: 'event-frames' },
    { ...plain, endpoint: 'action', shape: 'multipart' },
    { ...plain, endpoint: 'serverFunction', shape: 'nested-lists' },
    { ...plain, endpoint: 'policy', shape: 'policy-report' },
    { ...plain, endpoint: 'proxy', shape: 'text', chunk: 1 },
  ];
}
