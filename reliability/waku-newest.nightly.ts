import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { isRecord } from '#boundary';

import { proveDigests, proveFlights, proveInterface } from './testing/prove-waku-app.ts';
import { createApp, packRecorder, startApp, type WakuApp } from './testing/waku-app.ts';

/**
 * The plugin with the newest Waku and the newest plugin-rsc that the registry has, before anybody's app has them. It depends on
 * names that are internal to both. When one has moved, the build fails and names it, and that message is the result of this test. A
 * build that succeeds is driven like every other app.
 */
const plugin = '@vitejs/plugin-rsc';

function ask(name: string, field: string): unknown {
  const printed = execFileSync('npm', ['view', name, field, '--json'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const answer: unknown = printed === '' ? undefined : JSON.parse(printed);
  return answer;
}

/** The highest there is, a prerelease too: `latest` may be older than what apps use. npm lists them in order. */
function findNewest(name: string): string {
  const versions = ask(name, 'versions');
  const newest: unknown = Array.isArray(versions) ? versions.at(-1) : versions;
  if (typeof newest !== 'string') throw new Error(`npm names no version of ${name}`);
  return newest;
}

/** React's packages as that Waku asks for them. */
function findReact(waku: string): Record<string, string> {
  const peers = ask(`waku@${waku}`, 'peerDependencies');
  if (!isRecord(peers)) throw new Error(`waku ${waku} names no React`);
  return Object.fromEntries(Object.entries(peers).map(([name, range]) => [name, String(range)]));
}

/** What the build printed and threw, without the frames of its stack. */
function readFailure(error: unknown): string {
  if (!isRecord(error)) return String(error);
  const text = `${String(error['stdout'] ?? '')}${String(error['stderr'] ?? '')}` || String(error['message']);
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !/^\s+at /.test(line));
  return lines.slice(-30).join('\n');
}

const newest = { waku: findNewest('waku'), rsc: findNewest(plugin) };
const both = `waku ${newest.waku} with ${plugin} ${newest.rsc}`;

describe(both, () => {
  let tarball: string;
  let app: WakuApp;
  let moved: string | undefined;

  beforeAll(() => {
    tarball = packRecorder();
    app = createApp({
      tarball,
      packages: { waku: newest.waku, ...findReact(newest.waku) },
      overrides: { [plugin]: newest.rsc },
      // The package says which Waku it was tried with; here it is to be tried with another.
      manager: ['npm', '--legacy-peer-deps'],
    });
    try {
      app.build();
    } catch (error) {
      moved = readFailure(error);
    }
  }, 600_000);

  afterAll(() => {
    app.remove();
    rmSync(path.dirname(tarball), { recursive: true });
  });

  function readInstalled(name: string): unknown {
    const manifest: unknown = JSON.parse(
      readFileSync(path.join(app.folder, 'node_modules', name, 'package.json'), 'utf8'),
    );
    return isRecord(manifest) ? manifest['version'] : undefined;
  }

  test('nothing that the plugin depends on has moved', () => {
    expect([readInstalled('waku'), readInstalled(plugin)]).toEqual([newest.waku, newest.rsc]);
    expect(moved, `${both}:\n${moved}`).toBeUndefined();
  });

  test('finds every error in production', async ({ skip }) => {
    skip(moved !== undefined, 'nothing was built');
    await using running = await startApp(app.folder, ['dist/serve-node.js'], { env: { NODE_ENV: 'production' } });
    await proveDigests(running);
    await proveFlights(running);
    await proveInterface(running, 'closed');
  }, 120_000);

  test('finds every error in development', async ({ skip }) => {
    skip(moved !== undefined, 'nothing was built');
    const words = ['node_modules/waku/cli.js', 'dev', '--host', '127.0.0.1', '--port', '$PORT'];
    await using running = await startApp(app.folder, words);
    await proveDigests(running);
    await proveFlights(running);
    await proveInterface(running, 'open');
  }, 180_000);
});
