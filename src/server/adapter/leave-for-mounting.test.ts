import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { leaveForMounting } from './leave-for-mounting.ts';

const mount = '/__token__';
let folder: string;

function write(file: string, text = ''): void {
  const full = path.join(folder, file);
  mkdirSync(path.dirname(full), { recursive: true });
  writeFileSync(full, text);
}

function has(file: string): boolean {
  return existsSync(path.join(folder, file));
}

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-mounting-'));
  write('server/index.js', `export const path = "${mount}/flights";`);
  write('server/__token__/assets/style.css');
  write('public/__token__/assets/index.js', `fetch("${mount}/RSC/")`);
  write('public/favicon.svg', '<svg/>');
});

afterEach(() => rmSync(folder, { recursive: true }));

it('leaves nothing of the public folder outside of the mount path', () => {
  leaveForMounting(folder, mount);
  expect(has('public/__token__/favicon.svg')).toBe(true);
  expect(has('public/__token__/assets/index.js')).toBe(true);
  expect(has('public/favicon.svg')).toBe(false);
  expect(has('server/__token__')).toBe(false);
  expect([has('prerender.js'), has('serve-node.js')]).toEqual([true, true]);
});

it('refuses a build in which a path would mean something else', () => {
  write('public/__token__/assets/late.js', String.raw`/^\/__token__\/flights/.test(path)`);
  expect(() => leaveForMounting(folder, mount)).toThrow('in a regular expression');
});

it('refuses a build without a server', () => {
  rmSync(path.join(folder, 'server/index.js'));
  expect(() => leaveForMounting(folder, mount)).toThrow('there is no server');
});
