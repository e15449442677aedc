import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { chooseAppId, findElsewhere } from './recorded-app.ts';

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

it('goes to the recorder that FLIGHT_RECORDER names, and keeps what waits in a folder of its own', () => {
  const text = 'http://k3y@recorder.test:4000/shop';
  const elsewhere = {
    address: { base: 'http://recorder.test:4000', app: 'shop', key: 'k3y' },
    folder: '/data/spool-shop',
  };
  expect(findElsewhere(text, undefined, '/data')).toEqual(elsewhere);
  expect(findElsewhere(text, 'shop', '/data')).toEqual(elsewhere);
  expect(findElsewhere(undefined, 'shop', '/data')).toBeUndefined();
  expect(findElsewhere('', 'shop', '/data')).toBeUndefined();
});

it('refuses an address that is none without showing it, and one of another app', () => {
  const text = 'http://k3y@recorder.test:4000/shop';
  expect(() => findElsewhere(text, 'other', '/data')).toThrow('--app is "other", and FLIGHT_RECORDER names "shop"');
  expect(() => findElsewhere('http://k3y@recorder.test', undefined, '/data')).toThrow(
    /^FLIGHT_RECORDER is not of the form http:\/\/<key>@<host>\/<app>$/,
  );
});
