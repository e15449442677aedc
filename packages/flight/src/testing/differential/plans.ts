import * as fc from 'fast-check';

/**
 * What a value is made from. Streams, promises and iterators are used up by the server that encodes them, and each
 * React line wants elements and references of its own: so tests generate plans, and build a fresh value for each use.
 */
export type Plan =
  | { kind: 'plain'; value: string | number | bigint | boolean | null | undefined }
  | { kind: 'text'; unit: string; times: number }
  | { kind: 'date'; time: number }
  | { kind: 'symbol'; name: string }
  | { kind: 'array'; items: Plan[] }
  | { kind: 'object'; entries: [key: string, plan: Plan][] }
  | { kind: 'map'; entries: [key: Plan, plan: Plan][] }
  | { kind: 'set'; items: Plan[] }
  | { kind: 'form'; entries: [name: string, plan: string | BlobPlan][] }
  | BlobPlan
  | { kind: 'bytes'; type: BytesType; bytes: Uint8Array }
  | { kind: 'iterator'; items: Plan[] }
  | { kind: 'async-iterable'; once: boolean; items: Plan[]; end: SequenceEnd }
  | { kind: 'stream'; items: Plan[]; fails: boolean }
  | { kind: 'byte-stream'; chunks: Uint8Array[] }
  | { kind: 'promise'; value: Plan; turns: number; fails: boolean }
  /** `errors` of an AggregateError. */
  | { kind: 'error'; message: string; cause: Plan | null; errors: Plan[] | null }
  | { kind: 'client-reference'; module: string; exported: string; isAsync: boolean }
  | { kind: 'server-reference'; id: string; bound: Plan[] | null }
  | { kind: 'element'; type: ElementType; key: string | null; props: [name: string, plan: Plan][] }
  | { kind: 'component'; result: Plan; turns: number; fails: boolean; key: string | null }
  | { kind: 'lazy'; value: Plan; turns: number; fails: boolean }
  /** In a reply: what stays in the browser. */
  | { kind: 'function' }
  | { kind: 'seen'; index: number };

export type BlobPlan = { kind: 'blob'; type: string; bytes: Uint8Array; name: string | null };
export type SequenceEnd = { kind: 'return'; value: Plan } | { kind: 'throw' };
export type ElementType =
  | { kind: 'tag'; name: string }
  | { kind: 'client'; module: string; exported: string; isAsync: boolean }
  | { kind: 'built-in'; name: 'Suspense' | 'StrictMode' | 'Fragment' };

const bytesTypes = [
  'ArrayBuffer',
  'Int8Array',
  'Uint8Array',
  'Uint8ClampedArray',
  'Int16Array',
  'Uint16Array',
  'Int32Array',
  'Uint32Array',
  'Float32Array',
  'Float64Array',
  'BigInt64Array',
  'BigUint64Array',
  'DataView',
] as const;
export type BytesType = (typeof bytesTypes)[number];

/** Strings that mean something to the format, or to an object of JavaScript, when they are taken for more than text. */
const oddStrings = [
  '',
  '$',
  '$$',
  '$0',
  '$1:a',
  '$L1',
  '$@1',
  '$h1',
  '$F1',
  '$Q0',
  '$undefined',
  '$NaN',
  '$-0',
  '$D2020-01-01T00:00:00.000Z',
  '2020-01-01T00:00:00.000Z',
  '$n5',
  '$Sreact.suspense',
  '$Z',
  '$T0',
  '$w',
  '$E(globalThis.evaluated=true)',
  '@1',
  'a\nb\r\nc',
  '1:"row"\n2:I["x"]\n',
  '\u0000\u001f\u007f',
  '\u2028\u2029',
  '\uFEFFbom',
  '\uD800',
  'x\uDFFFy',
  'é漢😀',
  '</script><!--',
  '__proto__',
] as const;

const oddKeys = [
  '',
  '__proto__',
  'constructor',
  'prototype',
  'then',
  'toString',
  'hasOwnProperty',
  'length',
  '0',
  '10',
  '-1',
  'a:b',
  '$',
  '$$typeof',
  'key',
  'props',
  'é',
  '\uD800',
  'a"b',
  '\n',
] as const;

const someText = fc.oneof(
  { weight: 3, arbitrary: fc.string({ maxLength: 12 }) },
  { weight: 2, arbitrary: fc.constantFrom(...oddStrings) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 24 }) },
);
/**
 * No backslash: once Node 24's JSON.parse has met an object with the key `\`, it takes keys that begin with an escape,
 * such as `\n`, for that one, and React reads with JSON.parse.
 */
const someKey = fc
  .oneof(
    { weight: 3, arbitrary: fc.constantFrom('a', 'b', 'c', 'children', 'label') },
    { weight: 2, arbitrary: fc.constantFrom(...oddKeys) },
    { weight: 1, arbitrary: fc.string({ maxLength: 6 }) },
  )
  .filter((key) => !key.includes('\\'));
const someBytes = fc.oneof(fc.uint8Array({ maxLength: 24 }), fc.constantFrom(new Uint8Array([10, 13, 58, 10])));
const someTurns = fc.constantFrom(0, 0, 1, 2);
const someModule = fc.constantFrom('a.js', 'b', '$odd', 'src/components/a-client-component-with-a-long-path.tsx');
const someExport = fc.constantFrom('default', 'Counter', '*', '', 'a b', '$', 'constructor');
const rarely = fc.constantFrom(false, false, false, true);
const never = fc.constant(false);

const plain: fc.Arbitrary<Plan> = fc
  .oneof(
    { weight: 4, arbitrary: someText },
    {
      weight: 3,
      arbitrary: fc.oneof(
        fc.double(),
        fc.integer(),
        fc.constantFrom(0, -0, NaN, Infinity, -Infinity, 1e21, 5e-324, Number.MAX_SAFE_INTEGER),
      ),
    },
    {
      weight: 1,
      arbitrary: fc.oneof(fc.bigInt(), fc.constantFrom(0n, -1n, 2n ** 64n, 10n ** 299n)),
    },
    { weight: 2, arbitrary: fc.constantFrom(true, false, null, undefined) },
  )
  .map((value) => ({ kind: 'plain', value }));

const blob: fc.Arbitrary<BlobPlan> = fc.record({
  kind: fc.constant('blob'),
  type: fc.constantFrom('', 'text/plain', 'application/octet-stream'),
  bytes: someBytes,
  name: fc.constant(null),
});
const file: fc.Arbitrary<BlobPlan> = fc.record({
  kind: fc.constant('blob'),
  type: fc.constantFrom('', 'text/plain', 'image/png'),
  bytes: someBytes,
  name: fc.constantFrom('a.txt', 'blob', 'é "q".png'),
});

function form(entry: fc.Arbitrary<BlobPlan>): fc.Arbitrary<Plan> {
  return fc.record({
    kind: fc.constant('form'),
    entries: fc.array(fc.tuple(someKey, fc.oneof(someText, entry)), { maxLength: 3 }),
  });
}

const longText: fc.Arbitrary<Plan> = fc.record({
  kind: fc.constant('text'),
  unit: fc.constantFrom('x', 'é', '漢', '😀', '\uD800', '\n', '"', '\uFEFF'),
  times: fc.constantFrom(511, 512, 1023, 1024, 1025, 3000),
});
const date: fc.Arbitrary<Plan> = fc.record({
  kind: fc.constant('date'),
  time: fc.oneof(fc.date({ noInvalidDate: true }).map(Number), fc.constantFrom(0, NaN, 8.64e15, -8.64e15)),
});
const symbol: fc.Arbitrary<Plan> = fc.record({ kind: fc.constant('symbol'), name: someText });
const bytes: fc.Arbitrary<Plan> = fc.record({
  kind: fc.constant('bytes'),
  type: fc.constantFrom(...bytesTypes),
  bytes: someBytes,
});
const seen: fc.Arbitrary<Plan> = fc.record({ kind: fc.constant('seen'), index: fc.nat({ max: 7 }) });

/**
 * React 19.3's client revives a cause twice, and takes a text of it that begins with a dollar for a reference the second
 * time: so causes are errors and numbers here.
 */
const { error } = fc.letrec<{ error: Plan }>((tie) => {
  const inner = fc.oneof(
    { maxDepth: 2, depthSize: 'small' },
    fc.integer().map((value): Plan => ({ kind: 'plain', value })),
    tie('error'),
  );
  return {
    error: fc.record({
      kind: fc.constant('error'),
      message: someText,
      cause: fc.oneof(fc.constant(null), inner),
      errors: fc.oneof(fc.constant(null), fc.constant(null), fc.array(inner, { maxLength: 2 })),
    }),
  };
});

const someChunks = fc.array(fc.uint8Array({ minLength: 1, maxLength: 20 }), { maxLength: 4 });
const byteStream: fc.Arbitrary<Plan> = someChunks.map((chunks) => ({ kind: 'byte-stream', chunks }));
/** React's server throws, outside of any promise, when an argument is a byte stream without a byte. */
const filledByteStream: fc.Arbitrary<Plan> = someChunks
  .filter((chunks) => chunks.length > 0)
  .map((chunks) => ({ kind: 'byte-stream', chunks }));
const clientReference = fc.record({ module: someModule, exported: someExport, isAsync: rarely });
const elementType: fc.Arbitrary<ElementType> = fc.oneof(
  fc.record({ kind: fc.constant('tag'), name: fc.constantFrom('div', 'p', 'my-element') }),
  clientReference.map((reference): ElementType => ({ kind: 'client', ...reference })),
  fc.record({
    kind: fc.constant('built-in'),
    name: fc.constantFrom('Suspense', 'StrictMode', 'Fragment'),
  }),
);
const someElementKey = fc.oneof(fc.constant(null), fc.constant(null), someText);

/** The containers and the asynchronous values that both directions carry. A failure makes a whole reply fail: no part. */
function containers(inner: fc.Arbitrary<Plan>, fails: fc.Arbitrary<boolean>): fc.Arbitrary<Plan>[] {
  const items = fc.array(inner, { maxLength: 4 });
  return [
    fc.record({ kind: fc.constant('array'), items }),
    fc.record({
      kind: fc.constant('object'),
      entries: fc.array(fc.tuple(someKey, inner), { maxLength: 4 }),
    }),
    fc.record({ kind: fc.constant('map'), entries: fc.array(fc.tuple(inner, inner), { maxLength: 3 }) }),
    fc.record({ kind: fc.constant('set'), items }),
    fc.record({ kind: fc.constant('iterator'), items }),
    fc.record({ kind: fc.constant('promise'), value: inner, turns: someTurns, fails }),
    fc.record({
      kind: fc.constant('server-reference'),
      id: fc.constantFrom('actions.js#save', 'f/0123456789abcdef#add', 'x#$'),
      bound: fc.oneof(fc.constant(null), fc.array(inner, { maxLength: 2 })),
    }),
  ];
}

function sequences(inner: fc.Arbitrary<Plan>, fails: fc.Arbitrary<boolean>): fc.Arbitrary<Plan>[] {
  const items = fc.array(inner, { maxLength: 3 });
  const end: fc.Arbitrary<SequenceEnd> = fc
    .tuple(fails, inner)
    .map(([isFailure, value]) => (isFailure ? { kind: 'throw' } : { kind: 'return', value }));
  return [
    fc.record({ kind: fc.constant('async-iterable'), once: fc.boolean(), items, end }),
    fc.record({ kind: fc.constant('stream'), items, fails }),
  ];
}

function components(inner: fc.Arbitrary<Plan>): fc.Arbitrary<Plan>[] {
  return [
    fc.record({
      kind: fc.constant('element'),
      type: elementType,
      key: someElementKey,
      props: fc.array(fc.tuple(someKey, inner), { maxLength: 3 }),
    }),
    fc.record({
      kind: fc.constant('component'),
      result: inner,
      turns: someTurns,
      fails: rarely,
      key: someElementKey,
    }),
    fc.record({ kind: fc.constant('lazy'), value: inner, turns: someTurns, fails: rarely }),
  ];
}

const leaves = [
  { weight: 8, arbitrary: plain },
  { weight: 1, arbitrary: longText },
  { weight: 1, arbitrary: date },
  { weight: 1, arbitrary: symbol },
  { weight: 1, arbitrary: bytes },
  { weight: 1, arbitrary: blob },
  { weight: 2, arbitrary: seen },
];

/** Mostly several values beside each other, so that rows come in between and references go across. */
function severalOf(plan: fc.Arbitrary<Plan>): fc.Arbitrary<Plan> {
  const several = fc.array(plan, { minLength: 2, maxLength: 8 });
  return fc.oneof(
    { weight: 1, arbitrary: plan },
    { weight: 4, arbitrary: several.map((items): Plan => ({ kind: 'array', items })) },
  );
}

const responsePlan = fc.letrec<{ plan: Plan }>((tie) => {
  const inner = tie('plan');
  const nested = [...containers(inner, rarely), ...sequences(inner, rarely), ...components(inner)];
  return {
    plan: fc.oneof(
      { depthSize: 'small', maxDepth: 5, withCrossShrink: true },
      ...leaves,
      { weight: 1, arbitrary: form(blob) },
      { weight: 1, arbitrary: byteStream },
      { weight: 1, arbitrary: error },
      { weight: 2, arbitrary: clientReference.map((reference): Plan => ({ kind: 'client-reference', ...reference })) },
      ...nested.map((arbitrary) => ({ weight: 2, arbitrary })),
    ),
  };
}).plan;

/** Everything that a response can carry. */
export const responsePlans = severalOf(responsePlan);

const replyPlan = fc.letrec<{ plan: Plan }>((tie) => {
  const inner = tie('plan');
  const nested = [...containers(inner, never), ...sequences(inner, never)];
  return {
    plan: fc.oneof(
      { depthSize: 'small', maxDepth: 5, withCrossShrink: true },
      ...leaves.filter(({ arbitrary }) => arbitrary !== symbol),
      { weight: 1, arbitrary: form(file) },
      { weight: 1, arbitrary: file },
      { weight: 1, arbitrary: fc.constant<Plan>({ kind: 'function' }) },
      { weight: 1, arbitrary: filledByteStream },
      ...nested.map((arbitrary) => ({ weight: 2, arbitrary })),
    ),
  };
}).plan;

/** Everything that an action's arguments can carry. */
export const replyPlans = severalOf(replyPlan);
