import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { createBuilder, createLogger, type Plugin } from 'vite';
import { afterEach, beforeEach, expect, test } from 'vitest';

import type { AppFacts } from './app-facts.ts';
import { insideModules } from './inside-modules.ts';
import { readOptions } from './options.ts';

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), 'inside-modules-')));
});

afterEach(() => rmSync(root, { recursive: true }));

function write(file: string, text: string): string {
  const whole = path.join(root, file);
  mkdirSync(path.dirname(whole), { recursive: true });
  writeFileSync(whole, text);
  return whole;
}

const allOn = {
  digests: true,
  recorder: true,
  navigation: true,
  actions: true,
  reports: true,
  serverTime: true,
  strictActions: false,
  blockForged: undefined,
};
const allOff = { ...allOn, digests: false, recorder: false, actions: false, reports: false };

function factsWith(changes: Partial<AppFacts>): AppFacts {
  return {
    root,
    dist: path.join(root, 'dist'),
    basePath: '/',
    rscBase: 'RSC',
    mountPath: '/_flight',
    reportsMount: '/_flight',
    app: 'shop',
    adapter: 'node',
    parts: allOn,
    ...changes,
  };
}

const managedEntry = '\0virtual:vite-rsc-waku/client-entry';

/** What Waku and its packages would resolve to; of ours only that it is there counts, and not what it imports. */
function standIns(): Plugin {
  return {
    name: 'stand-ins',
    enforce: 'pre',
    resolveId(source) {
      const [, adapter] = /^waku\/(adapters\/\w+|adapter-builders)$/.exec(source) ?? [];
      if (adapter !== undefined) return path.join(root, `node_modules/waku/dist/${adapter}.js`);
      if (source === 'react-dom/client') return path.join(root, 'node_modules/react-dom/client.js');
      return source === managedEntry.slice(1) ? managedEntry : undefined;
    },
    load(id) {
      if (id === managedEntry) return `import 'react-dom/client';`;
      return existsSync(id) && id.startsWith(root) ? undefined : 'export default () => {};';
    },
  };
}

/** @returns what it warned of @throws what fails the build */
async function buildOnly(
  environment: 'rsc' | 'client',
  input: string,
  changes: Partial<AppFacts> = {},
): Promise<string[]> {
  const warned: string[] = [];
  const customLogger = { ...createLogger('silent'), warnOnce: (text: string) => void warned.push(text) };
  const inside = insideModules({
    options: readOptions({}),
    facts: () => factsWith(changes),
    devFolder: () => '',
  });
  const build = { write: false, rolldownOptions: { input } };
  const builder = await createBuilder({
    root,
    configFile: false,
    logLevel: 'silent',
    customLogger,
    plugins: [{ ...inside, load: undefined }, standIns()],
    environments: { rsc: { consumer: 'server', build }, client: { build } },
  });
  const found = builder.environments[environment];
  if (!found) throw new Error(`no environment ${environment}`);
  await builder.build(found);
  return warned;
}

const customAdapter = `
  import * as builders from 'waku/adapter-builders';
  export default builders;`;

test.each([
  ['node', `export { default } from 'waku/adapters/node';`],
  ['a file of the app that has it from there', `export { default } from './own.ts';`],
])("a server with Waku's Node adapter is built: %s", async (_, text) => {
  write('src/own.ts', `import adapter from 'waku/adapters/node'; export default adapter;`);
  expect(await buildOnly('rsc', write('src/waku.server.ts', text))).toEqual([]);
});

test('a server without ours around its adapter fails the build, and is told what to do', async () => {
  const built = buildOnly('rsc', write('src/waku.server.ts', customAdapter));
  await expect(built).rejects.toThrow(
    /is not in this app's server: it imports no adapter of Waku\..* import an adapter from waku\/adapters\/… itself; or set these options of flightRecorder\(\) to false: digests, recorder, actions, reports, mount\. .*then waku \S.* has moved/s,
  );
});

test('the adapter that hides behind a file of the app is named', async () => {
  write('src/own.ts', `export { default } from 'waku/adapters/edge';`);
  const built = buildOnly('rsc', write('src/waku.server.ts', `export { default } from './own.ts';`));
  await expect(built).rejects.toThrow('its adapter is node_modules/waku/dist/adapters/edge.js.');
});

test('any adapter will do where nothing is left for the server', async () => {
  const input = write('src/waku.server.ts', customAdapter);
  expect(await buildOnly('rsc', input, { mountPath: undefined, parts: allOff })).toEqual([]);
});

const importsRoot = `import 'react-dom/client';`;

test.each([
  ['of Waku', `import 'virtual:vite-rsc-waku/client-entry';`, ''],
  ['of the app', `import './app/waku.client.tsx';`, importsRoot],
  ['of the app, through a file of it', `import './app/waku.client.tsx';`, `import './hydrate.ts';`],
  ['of the app, without a root', `import './app/waku.client.tsx';`, ''],
])('an entry for browsers is built: %s', async (_, text, own) => {
  write('app/waku.client.tsx', own);
  write('app/hydrate.ts', importsRoot);
  expect(await buildOnly('client', write('entry.ts', text))).toEqual([]);
});

test("an entry of Waku's that is elsewhere fails the build, and says what has moved", async () => {
  write('node_modules/waku/package.json', '{ "name": "waku", "version": "9.8.7" }');
  await expect(buildOnly('client', write('node_modules/waku/dist/entry.js', importsRoot))).rejects.toThrow(
    'waku 9.8.7 has moved virtual:vite-rsc-waku/client-entry',
  );
});

test('a root that a package makes for the app is said, and not refused', async () => {
  write('node_modules/hydrate/index.js', importsRoot);
  write('app/waku.client.tsx', `import '../node_modules/hydrate/index.js';`);
  const [warned, ...others] = await buildOnly('client', write('entry.ts', `import './app/waku.client.tsx';`));
  expect([warned, others]).toEqual([expect.stringContaining('and app/waku.client.tsx does not'), []]);
});

test('nothing is asked of the browser where no part is in its entry', async () => {
  const input = write('node_modules/waku/dist/entry.js', importsRoot);
  expect(await buildOnly('client', input, { parts: allOff })).toEqual([]);
});
