import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { findInstalledBrowser } from '../scripts/find-browser.mjs';

/**
 * The examples of docs/budgets.md in a project of their own, with the built `flight-recorder/vitest` and `flight-recorder/playwright`, and
 * the runners that a user has. They run against a page with a payload, whose link loads another one.
 */
const root = path.join(import.meta.dirname, '..');
const folder = mkdtempSync(path.join(tmpdir(), 'flight-recorder-budgets-'));
const guide = readFileSync(path.join(root, 'docs/budgets.md'), 'utf8');

const product = (id: number) => `{"id":${id},"name":"Product ${id}","note":"One of the many things that we sell."}`;
const payload = `1:I["src/product-list.tsx",["assets/list.js"],"ProductList"]
0:["$","main",null,{"children":[["$","h1",null,{"children":"Products"}],["$","$L1",null,{"products":[${product(1)},${product(2)}]}]]}]
`;
const lamp = '0:["$","h1",null,{"children":"Lamp"}]\n';

const page = `<!doctype html><title>Products</title><main><h1>Products</h1><a href="/lamp">Lamp</a></main>
<script>(self.__FLIGHT_DATA||=[]).push(${JSON.stringify(payload)})</script>
<script>
  document.querySelector('a').onclick = async (event) => {
    event.preventDefault();
    await (await fetch('/lamp.rsc')).text();
    document.querySelector('h1').textContent = 'Lamp';
  };
</script>`;

let server: Server;
let origin: string;

function write(name: string, content: string): void {
  mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  writeFileSync(path.join(folder, name), content);
}

function listExamples(runner: 'playwright' | 'vitest'): string[] {
  const found = guide.matchAll(new RegExp(`\`\`\`ts ${runner}\\n([^]*?)\`\`\``, 'g'));
  return Array.from(found, ([, code = '']) => code.replaceAll(/http:\/\/localhost:300[01]/g, origin));
}

beforeAll(async () => {
  server = createServer(({ url }, response) => {
    const isPayload = url === '/lamp.rsc';
    response.setHeader('content-type', isPayload ? 'text/x-component' : 'text/html').end(isPayload ? lamp : page);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  mkdirSync(path.join(folder, 'node_modules/@types'), { recursive: true });
  symlinkSync(root, path.join(folder, 'node_modules/flight-recorder'));
  for (const name of ['vitest', 'playwright', '@types/node']) {
    symlinkSync(path.join(root, 'node_modules', name), path.join(folder, 'node_modules', name));
  }
  // What the package of this name holds, beside its command.
  write(
    'node_modules/@playwright/test/package.json',
    '{ "name": "@playwright/test", "exports": { ".": { "types": "./index.d.ts", "import": "./index.mjs" } } }',
  );
  for (const name of ['index.mjs', 'index.d.ts']) {
    write(
      `node_modules/@playwright/test/${name}`,
      "export * from 'playwright/test';\nexport { default } from 'playwright/test';\n",
    );
  }
  write('package.json', '{ "private": true, "type": "module" }');
  for (const runner of ['playwright', 'vitest'] as const) {
    const extension = runner === 'playwright' ? 'spec' : 'test';
    for (const [index, code] of listExamples(runner).entries()) write(`example-${index + 1}.${extension}.ts`, code);
  }
  const launch = { executablePath: findInstalledBrowser(), args: ['--no-sandbox', '--disable-gpu'] };
  write(
    'playwright.config.ts',
    `export default { testMatch: '*.spec.ts', workers: 1, reporter: 'line', use: { launchOptions: ${JSON.stringify(launch)} } };\n`,
  );
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

/** The server is in this process, so this one must not wait for the other. */
async function run(words: readonly string[]): Promise<{ status: unknown; output: string }> {
  // With `CI`, Vitest writes no new snapshot. The first run here is that of somebody at a machine of their own.
  const { CI: _, VITEST: __, VITEST_MODE: ___, NODE_ENV: ____, ...env } = process.env;
  const child = spawn(process.execPath, words, { cwd: folder, env: { ...env, NO_COLOR: '1', FORCE_COLOR: '0' } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const [status]: unknown[] = await once(child, 'close');
  return { status, output };
}

const vitest = [
  path.join(root, 'node_modules/vitest/vitest.mjs'),
  'run',
  '--root',
  '.',
  '--reporter',
  'verbose',
  'example-1.test',
  'example-2.test',
];
const playwright = [path.join(root, 'node_modules/playwright/cli.js'), 'test'];

test('the examples of the guide compile as Node’s and as a bundler’s user has them', () => {
  for (const [module, resolution] of [
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ] as const) {
    const options = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--target', 'es2024', '--types', 'node'];
    const files = [1, 2].flatMap((number) => [`example-${number}.spec.ts`, `example-${number}.test.ts`]);
    const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
    const words = [compiler, ...options, '--module', module, '--moduleResolution', resolution, ...files];
    const { stdout } = spawnSync(process.execPath, words, { cwd: folder, encoding: 'utf8' });
    // Of the runners' own types, which are not ours to check.
    expect(stdout.split('\n').filter((line) => /^(?:example|.*flight-recorder)/.test(line))).toEqual([]);
  }
}, 120_000);

test('those for Vitest pass, again with the snapshot that the first run wrote', async () => {
  for (const mode of [[], ['--update=none']]) {
    const { status, output } = await run([...vitest, ...mode]);
    expect(output).toContain('✓');
    expect([status, /Tests\s+3 passed \(3\)/.exec(output)?.[0]], output).toEqual([0, expect.any(String)]);
  }
  const snapshot = readFileSync(path.join(folder, '__snapshots__/example-2.test.ts.snap'), 'utf8');
  expect(snapshot).toContain('<ProductList> client\n    products: array of object\n      id: number');
}, 120_000);

test('those for Playwright pass', async () => {
  const { status, output } = await run(playwright);
  expect([status, /\d+ passed/.exec(output)?.[0]], output).toEqual([0, '4 passed']);
}, 120_000);

test('one that is over its budget shows the test’s line, and leaves the payload in its results', async () => {
  write('over.spec.ts', (listExamples('playwright')[0] ?? '').replaceAll("'12kB'", '10').replaceAll("'4kB'", '10'));
  const { status, output } = await run([...playwright, 'over.spec.ts']);
  expect(status).toBe(1);
  expect(output).toContain('FlightBudgetError: GET /products is over its budget');
  expect(output).toContain('<ProductList>, most of it products (row 0)');
  expect(output).toMatch(/> +\d+ \|   await expectFlight\(page\)\.toStayWithin/);
  expect(output).toContain('FlightBudgetError: GET /lamp.rsc is over its budget');
  const [, file = ''] = /flight-recorder flight (test-results\/over-the-list\S*\.rsc)/.exec(output) ?? [];
  expect(readFileSync(path.join(folder, file), 'utf8')).toBe(payload);
  const shown = spawnSync(process.execPath, [path.join(root, 'bin/flight-recorder.mjs'), 'flight', file], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect([shown.status, shown.stdout]).toEqual([0, expect.stringContaining('<ProductList>')]);
}, 120_000);
