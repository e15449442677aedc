import { expect, it } from 'vitest';

import { fromPayloadPath, toPayloadPath } from './waku-addresses.ts';

it.each([
  ['/', '/RSC/R/_root.txt'],
  ['/lab', '/RSC/R/lab.txt'],
  ['/lab/slow', '/RSC/R/lab/slow.txt'],
])('%s has its payload at %s', (page, payload) => {
  expect(toPayloadPath(page)).toBe(payload);
  expect(fromPayloadPath(payload)).toBe(page);
});

it.each(['/lab', '/RSC/R/lab', '/RSC/S/lab.txt', '/x/RSC/R/lab.txt'])('%s is no payload’s', (path) => {
  expect(fromPayloadPath(path)).toBe(path);
});
