import { mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { findBuild, readBasePath, readBuildId } from './read-build.ts';

let folder: string;
let built: string;
let file: string;
/** When a process starts that serves the build. */
let afterwards: number;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'next-build-'));
  built = path.join(folder, '.next');
  mkdirSync(built);
  file = path.join(built, 'BUILD_ID');
  writeFileSync(file, 'y6FH8CEVmtUmwmgzOjuEZ');
  afterwards = statSync(file).ctimeMs;
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

it('is what the build left', () => {
  expect(readBuildId(built, afterwards)).toBe('y6FH8CEVmtUmwmgzOjuEZ');
});

it('is the deployment’s id where Next.js 16 has one: its answers say that', () => {
  const manifest = path.join(built, 'routes-manifest.json');
  writeFileSync(manifest, '{"version":3}');
  expect(readBuildId(built, afterwards)).toBe('y6FH8CEVmtUmwmgzOjuEZ');
  writeFileSync(manifest, '{"version":3,"deploymentId":"v2"}');
  expect(readBuildId(built, afterwards)).toBe('v2');
  vi.stubEnv('NEXT_DEPLOYMENT_ID', 'v3');
  expect(readBuildId(built, afterwards)).toBe('v3');
  expect(readBuildId(built, afterwards - 1)).toBeUndefined();
});

it('has a base path where the app has one', () => {
  expect(readBasePath(built)).toBe('');
  writeFileSync(path.join(built, 'routes-manifest.json'), '{"version":3,"basePath":"/shop"}');
  expect(readBasePath(built)).toBe('/shop');
  writeFileSync(path.join(built, 'routes-manifest.json'), 'null');
  expect(readBasePath(built)).toBe('');
});

it('is not said when the app was built again under a running server', () => {
  expect(readBuildId(built, afterwards - 1)).toBeUndefined();
  // A copy keeps the time at which it was written.
  utimesSync(file, 1_000, 1_000);
  expect(readBuildId(built, afterwards - 1)).toBeUndefined();
});

it('is not known without one', () => {
  rmSync(file);
  expect(readBuildId(built, afterwards)).toBeUndefined();
  writeFileSync(file, '\n');
  expect(readBuildId(built, Date.now() + 1_000)).toBeUndefined();
});

it('is that of the folder from which Next.js has loaded the app, where its distDir is another', () => {
  const other = path.join(folder, 'dist', 'web');
  mkdirSync(path.join(other, 'server'), { recursive: true });
  const loaded = ['/app/node_modules/next/dist/server/next.js', path.join(other, 'server', 'instrumentation.js')];
  // Of a development server, or of something else with that name.
  expect(findBuild(folder, loaded)).toBe(built);
  writeFileSync(path.join(other, 'BUILD_ID'), 'other');
  expect(findBuild(folder, loaded)).toBe(other);
  expect(findBuild(folder, [])).toBe(built);
});
