import { expect, it } from 'vitest';

import { fromPayloadPath, toPayloadPath } from './waku-addresses.ts';

it.each([
  ['/', '/RSC/R/_root.txt'],
  ['/lab', '/RSC/R/lab.txt'],
  ['/lab/slow', '/RSC/R/lab/slow.txt'],
  // As Waku's own encodeRoutePath and encodeRscPath spell them.
  ['/_flight', '/RSC/R/__flight.txt'],
  ['/_flight/lab', '/RSC/R/__flight/lab.txt'],
  ['/_root', '/RSC/R/__root.txt'],
  ['/shop/_flight', '/RSC/R/shop/_flight.txt'],
  ['/shop_', '/RSC/R/shop__.txt'],
])('%s has its payload at %s', (page, payload) => {
  expect(toPayloadPath(page)).toBe(payload);
  expect(fromPayloadPath(payload)).toBe(page);
});

it('has one payload for a page, with a slash behind its address or without', () => {
  expect(toPayloadPath('/_flight/')).toBe('/RSC/R/__flight.txt');
});

it.each(['/lab', '/RSC/R/lab', '/RSC/S/lab.txt', '/x/RSC/R/lab.txt'])('%s is no payload’s', (path) => {
  expect(fromPayloadPath(path)).toBe(path);
});
