import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '../../..');
const app = mkdtempSync(path.join(tmpdir(), 'waku-host-'));

/** What `waku build` leaves, as far as `waku start` looks at it. */
beforeAll(() => {
  mkdirSync(path.join(app, 'dist'));
  writeFileSync(path.join(app, 'dist/serve-node.js'), 'console.log(`on ${process.env.HOST}`);\n');
});

afterAll(() => rmSync(app, { recursive: true }));

function run(...args: readonly string[]): string {
  const env = { ...process.env, HOST: '127.0.0.1', PORT: '1' };
  return spawnSync(process.execPath, args, { cwd: app, env, encoding: 'utf8' }).stdout.split('\n')[0] ?? '';
}

it('is said in the guide: for `waku start` an option decides, and the variable for serve-node.js alone', () => {
  const start = [path.join(root, 'node_modules/waku/cli.js'), 'start'];
  expect(run(...start)).toBe('on undefined');
  for (const option of ['--host', '-h']) expect(run(...start, option, '127.0.0.2')).toBe('on 127.0.0.2');
  expect(run('dist/serve-node.js')).toBe('on 127.0.0.1');

  const guide = readFileSync(path.join(root, 'docs/waku.md'), 'utf8').replaceAll(/\s+/g, ' ');
  expect(guide).toContain('`waku start` and `waku dev` take the address from `--host` (`-h`) alone and ignore `HOST`');
  expect(guide).not.toContain('`waku start --host 127.0.0.1` (or `HOST=127.0.0.1`)');
});
