import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { readBasePath, readBuildId } from './read-build.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'next-build-'));
  mkdirSync(path.join(folder, '.next'));
  file = path.join(folder, '.next', 'BUILD_ID');
  writeFileSync(file, 'y6FH8CEVmtUmwmgzOjuEZ');
  utimesSync(file, 1_000, 1_000);
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

it('is what the build left', () => {
  expect(readBuildId(folder, 1_000_000)).toBe('y6FH8CEVmtUmwmgzOjuEZ');
});

it('is the deployment’s id where Next.js 16 has one: its answers say that', () => {
  const manifest = path.join(folder, '.next', 'routes-manifest.json');
  writeFileSync(manifest, '{"version":3}');
  expect(readBuildId(folder, 1_000_000)).toBe('y6FH8CEVmtUmwmgzOjuEZ');
  writeFileSync(manifest, '{"version":3,"deploymentId":"v2"}');
  expect(readBuildId(folder, 1_000_000)).toBe('v2');
  vi.stubEnv('NEXT_DEPLOYMENT_ID', 'v3');
  expect(readBuildId(folder, 1_000_000)).toBe('v3');
  expect(readBuildId(folder, 999_999)).toBeUndefined();
});

it('has a base path where the app has one', () => {
  expect(readBasePath(folder)).toBe('');
  writeFileSync(path.join(folder, '.next', 'routes-manifest.json'), '{"version":3,"basePath":"/shop"}');
  expect(readBasePath(folder)).toBe('/shop');
  writeFileSync(path.join(folder, '.next', 'routes-manifest.json'), 'null');
  expect(readBasePath(folder)).toBe('');
});

it('is not said when the app was built again under a running server', () => {
  expect(readBuildId(folder, 999_999)).toBeUndefined();
});

it('is not known without one', () => {
  rmSync(file);
  expect(readBuildId(folder, 1_000_000)).toBeUndefined();
  writeFileSync(file, '\n');
  utimesSync(file, 1_000, 1_000);
  expect(readBuildId(folder, 1_000_000)).toBeUndefined();
});
