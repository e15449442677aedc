import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { compileFunction } from 'node:vm';

/**
 * React's own Flight server and client of one line, both in this process.
 *
 * A server build wants the `react-server` half of `react` and `react-dom`, a client build the other half, and each line
 * its own copy. No resolver offers that in one process, so React's published CommonJS files are compiled here with a
 * `require` that says which of them each build gets.
 */
export const lineNames = ['19.0', '19.1', '19.2', '19.3'] as const;
export type LineName = (typeof lineNames)[number] | 'canary';

/**
 * A folder with the newest canary in its `node_modules`: the nightly comparison puts it there (scripts/compare-with-react.mjs).
 */
const canaryFolder = process.env['FLIGHT_CANARY'];

/** What random values are compared with: every line, and the canary where there is one. */
export const comparedLines: readonly LineName[] = canaryFolder ? [...lineNames, 'canary'] : lineNames;

/** Whether a line is 19.3 or what comes after it. */
export function isNewest(name: LineName): boolean {
  return name === '19.3' || name === 'canary';
}
export type ReactMode = 'production' | 'development';

type StreamOptions = Record<string, unknown>;

type FlightServer = {
  renderToReadableStream(model: unknown, clientManifest: unknown, options?: StreamOptions): ReadableStream<Uint8Array>;
  /** Named `unstable_prerender` before 19.2. Absent in 19.0's stable builds of some runtimes. */
  prerender?(model: unknown, manifest: unknown, options?: StreamOptions): Promise<{ prelude: ReadableStream }>;
  unstable_prerender?(model: unknown, manifest: unknown, options?: StreamOptions): Promise<{ prelude: ReadableStream }>;
  registerServerReference(action: unknown, id: string, exportName: string | null): unknown;
  registerClientReference(proxy: unknown, id: string, exportName: string): unknown;
  createTemporaryReferenceSet(): WeakMap<object, string>;
  decodeReply(body: string | FormData, serverManifest: unknown, options?: StreamOptions): PromiseLike<unknown>;
  decodeAction(body: FormData, serverManifest: unknown): Promise<(() => unknown) | null>;
};

type FlightClient = {
  createFromReadableStream(stream: ReadableStream, options: StreamOptions): PromiseLike<unknown>;
  createServerReference(id: string, callServer?: unknown, encodeFormAction?: unknown): unknown;
  createTemporaryReferenceSet(): Map<string, unknown>;
  encodeReply(value: unknown, options?: StreamOptions): Promise<string | FormData>;
};

type ReactCore = {
  version: string;
  createElement(type: unknown, props: Record<string, unknown> | null): unknown;
  lazy(load: () => PromiseLike<{ default: unknown }>): unknown;
  Fragment: symbol;
  Suspense: symbol;
  StrictMode: symbol;
};

/** What the server half of `react-dom` offers for hints. */
type ReactDomHints = {
  preload(href: string, options: Record<string, unknown>): void;
  preconnect(href: string, options?: Record<string, unknown>): void;
  prefetchDNS(href: string): void;
  preinit(href: string, options: Record<string, unknown>): void;
  preinitModule(href: string, options?: Record<string, unknown>): void;
  preloadModule(href: string, options?: Record<string, unknown>): void;
};

export type ReactLine = {
  name: LineName;
  mode: ReactMode;
  react: ReactCore;
  hints: ReactDomHints;
  /** What the client did about hints: the letter of each and its arguments. Nothing is loaded. */
  hintCalls: unknown[][];
  server: FlightServer;
  client: FlightClient;
};

const modules = join(import.meta.dirname, '../../../../../node_modules');
const requireFromHere = createRequire(import.meta.url);

/** The folder of `name` in one line: 19.3 is the app's own, the older ones are installed under another name. */
function findPackage(line: LineName, name: 'flight' | 'react' | 'react-dom') {
  const own = { flight: 'react-server-dom-webpack', react: 'react', 'react-dom': 'react-dom' };
  if (line === 'canary') return join(canaryFolder ?? '', 'node_modules', own[name]);
  return join(modules, line === '19.3' ? own[name] : `${name}-${line.replace('.', '-')}`);
}

/**
 * React's development builds warn here of what plans do on purpose (children without keys). Its server patches it, and
 * sends what a component writes to it along in the payload.
 */
export const quietConsole = {
  ...console,
  ...Object.fromEntries(Object.keys(console).map((method) => [method, () => {}])),
  // Of the inspector, and no way to print; React does without it.
  createTask: undefined,
};

function compile(file: string, provide: Record<string, unknown>) {
  const module: { exports: unknown } = { exports: {} };
  function requireProvided(name: string): unknown {
    if (name in provide) return provide[name];
    if (name.startsWith('node:') || ['util', 'async_hooks', 'crypto', 'stream'].includes(name)) {
      return requireFromHere(name);
    }
    throw new Error(`${file} wants ${name}, which nobody provides here`);
  }
  const source = readFileSync(file, 'utf8');
  const evaluate = compileFunction(source, ['module', 'exports', 'require', 'console'], { filename: file });
  evaluate(module, module.exports, requireProvided, quietConsole);
  return module.exports;
}

/** Narrows an untyped module by the names it must export. */
function hasExports<T>(value: unknown, names: readonly (keyof T & string)[]): value is T {
  return typeof value === 'object' && value !== null && names.every((name) => name in value);
}

function loadAs<T>(file: string, provide: Record<string, unknown>, names: readonly (keyof T & string)[]): T {
  const loaded = compile(file, provide);
  if (!hasExports<T>(loaded, names)) throw new Error(`${file} does not export ${names.join(', ')}`);
  return loaded;
}

const lines = new Map<string, ReactLine>();

export function loadLine(name: LineName, mode: ReactMode): ReactLine {
  const known = lines.get(`${name} ${mode}`);
  if (known) return known;
  const [flight, react, dom] = [
    findPackage(name, 'flight'),
    findPackage(name, 'react'),
    findPackage(name, 'react-dom'),
  ];
  const serverReact = loadAs<ReactCore>(join(react, `cjs/react.react-server.${mode}.js`), {}, [
    'createElement',
    'version',
  ]);
  const serverDom = loadAs<ReactDomHints>(join(dom, `cjs/react-dom.react-server.${mode}.js`), { react: serverReact }, [
    'preload',
  ]);
  const clientReact = compile(join(react, `cjs/react.${mode}.js`), {});
  const clientDom = compile(join(dom, `cjs/react-dom.${mode}.js`), { react: clientReact });
  const hintCalls = recordHints(clientDom);
  provideWebpack();
  const line: ReactLine = {
    name,
    mode,
    react: serverReact,
    hints: serverDom,
    hintCalls,
    server: loadAs<FlightServer>(
      join(flight, `cjs/react-server-dom-webpack-server.edge.${mode}.js`),
      { react: serverReact, 'react-dom': serverDom },
      ['renderToReadableStream', 'decodeReply', 'registerServerReference'],
    ),
    client: loadAs<FlightClient>(
      join(flight, `cjs/react-server-dom-webpack-client.edge.${mode}.js`),
      { react: clientReact, 'react-dom': clientDom },
      ['createFromReadableStream', 'encodeReply'],
    ),
  };
  const expected = name === 'canary' ? '19.' : `${name}.`;
  if (!serverReact.version.startsWith(expected)) throw new Error(`${name} loads React ${serverReact.version}`);
  lines.set(`${name} ${mode}`, line);
  return line;
}

type DomInternals = { d: Record<string, unknown> };
const domInternals = '__DOM_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE';

/** Flight's client hands hints to `react-dom` by their letters; here they are written down. */
function recordHints(clientDom: unknown): unknown[][] {
  const calls: unknown[][] = [];
  if (!hasExports<{ [domInternals]: DomInternals }>(clientDom, [domInternals])) throw new Error('no internals');
  for (const letter of 'DCLmXSM') {
    clientDom[domInternals].d[letter] = (...args: unknown[]) => void calls.push([letter, ...args]);
  }
  return calls;
}

/**
 * What a module of the test exports: a function that says where it comes from, and with which arguments it is bound.
 * React's server binds a reference's arguments with the function's own `bind`.
 */
export type ModuleExport = { (): never; module: string; exported: string; bound: readonly unknown[] };

const moduleExports = new WeakSet<object>();

function createExport(module: string, exported: string, bound: readonly unknown[] = []): ModuleExport {
  const mark = Object.assign(
    (): never => {
      throw new Error('an export of the test is never called');
    },
    {
      module,
      exported,
      bound,
      bind: (_self: unknown, ...more: unknown[]) => createExport(module, exported, [...bound, ...more]),
    },
  );
  moduleExports.add(mark);
  return mark;
}

export function isModuleExport(value: unknown): value is ModuleExport {
  return typeof value === 'function' && moduleExports.has(value);
}

const modulesById = new Map<string, unknown>();

/**
 * A module as `__webpack_require__` gives it. The name `*` gives the module itself, the name `''` its default; any other is
 * there once it is asked for.
 */
function provideModule(given: string | number) {
  const id = String(given);
  const known = modulesById.get(id);
  if (known) return known;
  const exports = new Map<string | symbol, ModuleExport>();
  const module = new Proxy(createExport(id, '*'), {
    getOwnPropertyDescriptor(target, name) {
      if (typeof name === 'symbol') return Reflect.getOwnPropertyDescriptor(target, name);
      if (!exports.has(name)) exports.set(name, createExport(id, name));
      return { value: exports.get(name), configurable: true };
    },
    get(target, name) {
      if (name === '__esModule') return true;
      if (name === 'default' && !exports.has(name)) exports.set(name, createExport(id, name));
      return exports.get(name) ?? Reflect.get(target, name);
    },
  });
  moduleExports.add(module);
  modulesById.set(id, module);
  return module;
}

/** The bundler's half of React's client, which Webpack puts in the global scope. */
function provideWebpack() {
  Object.assign(globalThis, {
    __webpack_require__: provideModule,
    __webpack_chunk_load__: () => Promise.resolve(),
  });
}
