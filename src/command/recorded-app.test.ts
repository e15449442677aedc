import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { chooseAppId } from './recorded-app.ts';

let folder: string;

beforeEach(() => {
  folder = path.join(mkdtempSync(path.join(tmpdir(), 'recorded-app-')), 'Web Shop');
  mkdirSync(folder);
});

afterEach(() => rmSync(path.dirname(folder), { recursive: true }));

it.each([
  ['{"name":"shop"}', 'shop'],
  ['{"name":"@acme/Shop_Front"}', 'acme-shop-front'],
  ['{"name":"flight-recorder"}', 'web-shop'],
  ['{"name":7}', 'web-shop'],
  ['{}', 'web-shop'],
  ['{"name":', 'web-shop'],
  [undefined, 'web-shop'],
])('with the package.json %s it is %s', (manifest, id) => {
  if (manifest !== undefined) writeFileSync(path.join(folder, 'package.json'), manifest);
  expect(chooseAppId(undefined, folder)).toBe(id);
});

it('is what the option says, when that is an id', () => {
  expect(chooseAppId('my-app', folder)).toBe('my-app');
  for (const id of ['My', 'a--b', '-a', 'flight-recorder', 'a'.repeat(41), '']) {
    expect(() => chooseAppId(id, folder)).toThrow('use up to 40 lower-case letters');
  }
});

it('has a name where neither has one', () => {
  expect(chooseAppId(undefined, '/')).toBe('app');
});
