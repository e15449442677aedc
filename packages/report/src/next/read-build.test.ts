import { mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { readBasePath, readBuildId } from './read-build.ts';

let folder: string;
let file: string;
/** When a process starts that serves the build. */
let afterwards: number;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'next-build-'));
  mkdirSync(path.join(folder, '.next'));
  file = path.join(folder, '.next', 'BUILD_ID');
  writeFileSync(file, 'y6FH8CEVmtUmwmgzOjuEZ');
  afterwards = statSync(file).ctimeMs;
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

it('is what the build left', () => {
  expect(readBuildId(folder, afterwards)).toBe('y6FH8CEVmtUmwmgzOjuEZ');
});

it('is the deployment’s id where Next.js 16 has one: its answers say that', () => {
  const manifest = path.join(folder, '.next', 'routes-manifest.json');
  writeFileSync(manifest, '{"version":3}');
  expect(readBuildId(folder, afterwards)).toBe('y6FH8CEVmtUmwmgzOjuEZ');
  writeFileSync(manifest, '{"version":3,"deploymentId":"v2"}');
  expect(readBuildId(folder, afterwards)).toBe('v2');
  vi.stubEnv('NEXT_DEPLOYMENT_ID', 'v3');
  expect(readBuildId(folder, afterwards)).toBe('v3');
  expect(readBuildId(folder, afterwards - 1)).toBeUndefined();
});

it('has a base path where the app has one', () => {
  expect(readBasePath(folder)).toBe('');
  writeFileSync(path.join(folder, '.next', 'routes-manifest.json'), '{"version":3,"basePath":"/shop"}');
  expect(readBasePath(folder)).toBe('/shop');
  writeFileSync(path.join(folder, '.next', 'routes-manifest.json'), 'null');
  expect(readBasePath(folder)).toBe('');
});

it('is not said when the app was built again under a running server', () => {
  expect(readBuildId(folder, afterwards - 1)).toBeUndefined();
  // A copy keeps the time at which it was written.
  utimesSync(file, 1_000, 1_000);
  expect(readBuildId(folder, afterwards - 1)).toBeUndefined();
});

it('is not known without one', () => {
  rmSync(file);
  expect(readBuildId(folder, afterwards)).toBeUndefined();
  writeFileSync(file, '\n');
  expect(readBuildId(folder, Date.now() + 1_000)).toBeUndefined();
});
