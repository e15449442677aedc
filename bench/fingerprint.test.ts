import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { findFreePort, runServer } from './fixture-app.ts';

/**
 * The same fault in two builds of one app. Between the builds a page was added, which renames bundles and functions,
 * and lines were inserted above the fault. The builds are inside the repository, because the fixture finds its modules
 * from there.
 */
const wakuCli = path.join(import.meta.dirname, '../node_modules/waku/cli.js');
/** Two builds on a busy machine. */
const buildsTimeoutMs = 120_000;

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(import.meta.dirname, 'fixture-copy-'));
  cpSync(path.join(import.meta.dirname, 'fixture'), folder, {
    recursive: true,
    filter: (source) => path.basename(source) !== 'dist',
  });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function writePage(name: string, body: string): void {
  const config = "export async function getConfig() {\n  return { render: 'dynamic' } as const;\n}\n";
  writeFileSync(path.join(folder, 'src/pages', name), `${body}\n${config}`);
}

function addSourceMaps(): void {
  const config = path.join(folder, 'waku.config.ts');
  const text = readFileSync(config, 'utf8');
  writeFileSync(
    config,
    text.replace('resolve: {', 'environments: { rsc: { build: { sourcemap: true } } },\n    resolve: {'),
  );
}

type Failure = { readonly fingerprint: string; readonly stack: string; readonly digest: string };

async function buildAndFail(urlPath: string): Promise<Failure> {
  const { VITEST: _vitest, ...env } = process.env;
  const built = spawnSync(process.execPath, [wakuCli, 'build'], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...env, FIXTURE_RENDERER: 'ours', NODE_ENV: 'production' },
  });
  expect(built.status, built.stdout + built.stderr).toBe(0);
  const port = await findFreePort();
  const app = await runServer(['dist/ours/serve-node.js'], {
    port,
    cwd: folder,
    env: { ...env, NODE_ENV: 'production' },
    readyPath: '/static',
  });
  try {
    const response = await fetch(app.origin + urlPath);
    await response.text();
    // The first error of a bundle is logged as it was thrown, and its fingerprint in a second line.
    const findLine = (event: string) =>
      app
        .output()
        .split('\n')
        .find((line) => line.includes(`"event":"${event}"`));
    await expect.poll(() => findLine('server-error-source')).toBeDefined();
    const failure: Failure = {
      ...JSON.parse(findLine('server-error') ?? ''),
      ...JSON.parse(findLine('server-error-source') ?? ''),
    };
    return failure;
  } finally {
    await app.stop();
  }
}

it('keeps its fingerprint through a rebuild that moves it', { timeout: buildsTimeoutMs }, async () => {
  addSourceMaps();
  const fault = (lines: string) =>
    `${lines}function loadOrder(): never {\n  throw new Error('order ' + Date.now() + ' is broken');\n}\n\n` +
    'export default function OrderPage() {\n  return <p>{loadOrder()}</p>;\n}\n';
  writePage('order.tsx', fault(''));
  const before = await buildAndFail('/order');
  writePage('order.tsx', fault('// A line was added\n\n\n\n'));
  writePage(
    'another.tsx',
    'function loadOrder() {\n  return 1;\n}\n\nexport default function OrderPage() {\n  return <p>{loadOrder()}</p>;\n}\n',
  );
  const after = await buildAndFail('/order');
  expect(before.fingerprint).toMatch(/^[0-9a-f]{16}$/);
  expect(after.stack, 'the rebuild moved the fault').not.toBe(before.stack);
  expect(after.digest).not.toBe(before.digest);
  expect(after.fingerprint).toBe(before.fingerprint);
});
