import { expect, it } from 'vitest';

import { isFromPath, readFromPath } from './from-path.ts';

const host = 'app.example:3000';

it.each([
  ['http://app.example:3000/lab', '/lab'],
  // A proxy in front ends TLS.
  ['https://app.example:3000/', '/'],
  ['http://app.example:3000/a%20b/%C3%A9?token=secret', '/a b/é'],
  ['http://app.example:3000/not-utf-8/%ff', '/not-utf-8/%ff'],
  ['http://app.example:3000', null],
  ['http://app.example:30001/lab', null],
  ['http://bpp.example:3000/lab', null],
  ['http://app.example:3000.other.example/lab', null],
  ['http://other.example/lab', null],
  ['http://other.example/http://app.example:3000/lab', null],
  ['ftp://app.example:3000/lab', null],
  ['//app.example:3000/lab', null],
  ['', null],
  // It would end the text of this value on its way, and begin the next one.
  ['http://app.example:3000/lab%0A[]', null],
  ['http://app.example:3000/lab%00', null],
])('of %s is %o', (referer, path) => {
  expect(readFromPath(new Headers({ referer, host }))).toBe(path);
});

it('is none without both headers, and bounded', () => {
  expect(readFromPath(new Headers({ host }))).toBeNull();
  expect(readFromPath(new Headers({ referer: `http://${host}/lab` }))).toBeNull();
  expect(readFromPath(new Headers({ host, referer: `http://${host}/${'a'.repeat(9_000)}` }))).toHaveLength(2_000);
  expect(isFromPath(`/${'a'.repeat(1_999)}`)).toBe(true);
  expect(isFromPath(`/${'a'.repeat(2_000)}`)).toBe(false);
  expect(isFromPath('lab')).toBe(false);
});
