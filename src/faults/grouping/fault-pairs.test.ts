import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { createTransport, defaultStackParser, linkedErrorsIntegration, NodeClient, Scope } from '@sentry/node';
import { build } from 'vite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';

import { isRecord } from '#boundary';
import { localDsn } from '#src/runtime/reporting/local-dsn.ts';
import { openStore } from '#src/store/open-store.ts';

import { ingestEnvelope } from '../receive/ingest-envelope.ts';
import { endMapThread } from '../source-maps/ask-maps.ts';
import { readCauses } from '../kept/stored-json.ts';

/**
 * Pairs of errors that are one fault, and pairs that are not: thrown by an app that Vite built and minified, captured by a real SDK,
 * received with and without its source maps. docs/faults.md publishes the numbers.
 */

const react = `
export function renderWithHooks(Component, props) {
  return Component(props);
}
`;

/** @param above what an edit above moves, and @param stock a value */
function writeApp(above: string, wrap: (call: string) => string): string {
  return `${above}
import { renderWithHooks } from 'react';

const Header = ({ title }: { title?: string }) => { throw new TypeError('no title ' + title); };
const Footer = ({ title }: { title?: string }) => { throw new TypeError('no title ' + title); };
const Basket = ({ title }: { title?: string }) => {
  const rows = [1].map((row) => { throw new TypeError('no title ' + row); });
  return rows;
};
const refund = async (order: number) => {
  await null;
  throw new Error('refund window of ' + order + ' is over');
};
const readStock = async (item: string) => {
  await null;
  throw new Error('stock of ' + item + ' answered 404');
};
const readPrice = async (item: string) => {
  await null;
  throw new Error('price of ' + item + ' answered 404');
};
async function saveOrder(kind: string, value: number) {
  if (kind === 'redis') throw new Error('redis is gone ' + value);
  if (kind === 'cart') throw new Error('cart has ' + value + ' rows');
  if (kind === 'long')
    throw new Error(
      'the total of the order ' + value + ' is not the sum of its rows, and nobody knows which of them are wrong by how much',
    );
  throw new Error(
    'order ' + value + ' has no address',
  );
}
function connect() { throw new Error('connect ECONNREFUSED 10.0.0.' + Date.now() % 200); }
function readNull(value: any) { return value.total; }
function checkout(kind: string) {
  try {
    if (kind === 'database') connect();
    readNull(null);
  } catch (cause) {
    throw new Error('checkout failed', { cause });
  }
}
function invariant(isTrue: boolean, message: string) { if (!isTrue) throw new Error('Invariant: ' + message); }
function ship(order: number) {
  invariant(order > 1, 'order ' + order);
  invariant(order > 2, 'weight of ' + order);
}
function bill(order: number) { invariant(false, 'bill ' + order); }
class Cart { total(rows: number) { throw new RangeError('rows ' + rows); } }
class Draft { total(rows: number) { throw new RangeError('rows ' + rows); } }
function walk(depth: number) { if (depth === 0) throw new Error('leaf'); walk(depth - 1); }
const handlers = {
  onClick: () => { throw new Error('pushed'); },
  onChange: () => { throw new Error('typed'); },
};

globalThis.__pairs = {
  header: () => renderWithHooks(Header, { title: 'a' }),
  footer: () => renderWithHooks(Footer, { title: 'a' }),
  basket: () => renderWithHooks(Basket, {}),
  refund: (value = 1) => ${wrap('refund(value)')},
  stock: () => readStock('A'),
  price: () => readPrice('A'),
  redis: () => saveOrder('redis', 1),
  cart: () => saveOrder('cart', 1),
  long: () => saveOrder('long', 1),
  address: () => saveOrder('', 1),
  database: () => checkout('database'),
  nothing: () => checkout('null'),
  shipOne: () => ship(1),
  shipTwo: () => ship(2),
  bill: () => bill(1),
  cartTotal: () => new Cart().total(1),
  draftTotal: () => new Draft().total(1),
  walk: (depth = 3) => walk(depth),
  click: () => handlers.onClick(),
  change: () => handlers.onChange(),
};
`;
}

type Thrower = (value?: number) => unknown;
type Built = { readonly root: string; readonly throwers: Readonly<Record<string, Thrower>> };

let folder: string;
const builds = new Map<string, Built>();

function readThrowers(): Built['throwers'] {
  const throwers: unknown = Reflect.get(globalThis, '__pairs');
  if (!isRecord(throwers)) throw new Error('the app did not start');
  return throwers as Built['throwers'];
}

async function buildApp(name: string, source: string): Promise<Built> {
  const root = path.join(folder, name);
  mkdirSync(path.join(root, 'src'), { recursive: true });
  mkdirSync(path.join(root, 'node_modules/react'), { recursive: true });
  writeFileSync(path.join(root, 'node_modules/react/index.js'), react);
  writeFileSync(
    path.join(root, 'node_modules/react/package.json'),
    '{"name":"react","main":"index.js","type":"module"}',
  );
  writeFileSync(path.join(root, 'src/app.ts'), source);
  await build({
    root,
    configFile: false,
    logLevel: 'silent',
    build: {
      outDir: 'dist/public',
      sourcemap: true,
      target: 'esnext',
      rollupOptions: { input: path.join(root, 'src/app.ts') },
    },
  });
  const assets = path.join(root, 'dist/public/assets');
  const files = readdirSync(assets);
  const script = files.find((file) => file.endsWith('.js'));
  if (script === undefined) throw new Error('nothing was built');
  mkdirSync(path.join(root, 'dist/maps/assets'), { recursive: true });
  renameSync(path.join(assets, `${script}.map`), path.join(root, 'dist/maps/assets', `${script}.map`));
  // By Node itself: the built file, and not what a test runner makes of it.
  createRequire(import.meta.url)(path.join(assets, script));
  return { root, throwers: readThrowers() };
}

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-pairs-'));
  builds.set(
    'first',
    await buildApp(
      'first',
      writeApp('', (call) => call),
    ),
  );
  const moved = writeApp(
    '/** What is new. */\nexport const added = () => 1;\n',
    (call) => `(async () => await ${call})()`,
  );
  builds.set('second', await buildApp('second', moved));
});

afterAll(() => {
  endMapThread();
  rmSync(folder, { recursive: true });
});

beforeEach(() => {
  process.env['FLIGHT_DATA'] = mkdtempSync(path.join(folder, 'data-'));
});

afterEach(async () => {
  delete process.env['FLIGHT_DATA'];
  vi.restoreAllMocks();
  for (const store of globalThis.__FLIGHT_STORES__?.values() ?? []) await (await store).close();
});

/** Every frame of the built script as the browser names it: from the root of the site. */
async function report(error: unknown, root: string, withMaps: boolean): Promise<void> {
  vi.spyOn(process, 'cwd').mockReturnValue(withMaps ? root : '/nowhere');
  const client = new NodeClient({
    dsn: localDsn,
    integrations: [linkedErrorsIntegration()],
    stackParser: defaultStackParser,
    enableRuntimeChannelInjection: false,
    beforeSend(event) {
      const values = event.exception?.values ?? [];
      const frames = values.flatMap(({ stacktrace }) => stacktrace?.frames ?? []);
      for (const frame of frames) {
        const at = frame.filename?.indexOf('/assets/') ?? -1;
        if (at !== -1) frame.filename = frame.filename?.slice(at) ?? '';
      }
      const ofApp = (filename: string | undefined) => filename?.startsWith('/assets/') === true;
      for (const value of values) {
        const kept = value.stacktrace?.frames?.filter(({ filename }) => ofApp(filename)) ?? [];
        value.stacktrace = { frames: kept };
      }
      return event;
    },
    transport: (options) =>
      createTransport(options, async ({ body }) => {
        await ingestEnvelope(typeof body === 'string' ? new TextEncoder().encode(body) : body);
        return { statusCode: 200 };
      }),
  });
  client.init();
  client.captureException(error, { originalException: error }, new Scope());
  await client.close(2000);
}

async function throwFrom(thrower: Thrower, value?: number): Promise<unknown> {
  try {
    await thrower(value);
  } catch (error) {
    return error;
  }
  throw new Error('it did not throw');
}

/** `first:header`, with a value behind it where it takes one. */
async function reportNamed(named: string, withMaps: boolean): Promise<void> {
  const [name = '', thrower = '', value] = named.split(':');
  const built = builds.get(name);
  const call = built?.throwers[thrower];
  if (!built || !call) throw new Error(`there is no ${named}`);
  await report(await throwFrom(call, value === undefined ? undefined : Number(value)), built.root, withMaps);
}

async function countFaults(pair: readonly string[], withMaps: boolean): Promise<number> {
  for (const named of pair) await reportNamed(named, withMaps);
  const { db } = await openStore();
  const rows = await db
    .selectFrom('event')
    .where('side', '=', 'browser')
    .select(['fingerprint', 'message', 'frames_json'])
    .execute();
  expect(rows).toHaveLength(pair.length);
  return new Set(rows.map(({ fingerprint }) => fingerprint)).size;
}

type Pair = readonly [what: string, one: string, other: string];

const different: readonly Pair[] = [
  ['two components', 'first:header', 'first:footer'],
  ['a component and a callback in another', 'first:header', 'first:basket'],
  ['two async functions', 'first:refund', 'first:stock'],
  ['two async functions whose messages are alike', 'first:stock', 'first:price'],
  ['two throws in one function', 'first:redis', 'first:cart'],
  ['two throws whose messages stand below', 'first:long', 'first:address'],
  ['two causes in one function', 'first:database', 'first:nothing'],
  ['two calls of a helper in one function', 'first:shipOne', 'first:shipTwo'],
  ['calls of a helper in two functions', 'first:shipOne', 'first:bill'],
  ['methods of two classes', 'first:cartTotal', 'first:draftTotal'],
  ['two handlers', 'first:click', 'first:change'],
];

const same: readonly Pair[] = [
  ['another value', 'first:refund:1', 'first:refund:27'],
  ['another depth of a recursion', 'first:walk:2', 'first:walk:9'],
  ['another address in a cause', 'first:database', 'first:database'],
  ['a rebuild that moved lines and renamed the script', 'first:header', 'second:header'],
  ['a callback, after a rebuild', 'first:basket', 'second:basket'],
  ['a cause, after a rebuild', 'first:nothing', 'second:nothing'],
  ['an async wrapper around it', 'first:refund', 'second:refund'],
];

describe('with source maps', () => {
  it.each(different)('%s are two faults', async (_, ...pair) => expect(await countFaults(pair, true)).toBe(2));
  it.each(same)('%s is one fault', async (_, ...pair) => expect(await countFaults(pair, true)).toBe(1));
});

it('keeps the frames of a cause, with the names and lines of the source', async () => {
  await reportNamed('first:database', true);
  const { db } = await openStore();
  const { causes_json } = await db
    .selectFrom('event')
    .where('side', '=', 'browser')
    .select('causes_json')
    .executeTakeFirstOrThrow();
  const [cause] = readCauses(causes_json);
  expect(cause?.frames?.slice(0, 2)).toMatchObject([
    { fn: 'connect', source: 'src/app.ts', inApp: true, context: { lines: expect.any(Array) } },
    { fn: 'checkout', source: 'src/app.ts', inApp: true },
  ]);
});

/** No frame says anything, so the message has to. */
describe('of a minified script without its map', () => {
  const merged = new Set(['two components', 'methods of two classes']);
  it.each(different)('%s', async (what, ...pair) => {
    expect(await countFaults(pair, false)).toBe(merged.has(what) ? 1 : 2);
  });
  it.each(same)('%s is one fault', async (_, ...pair) => expect(await countFaults(pair, false)).toBe(1));
});
