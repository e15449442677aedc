import { expect, it } from 'vitest';

import { nameFront } from './start-front.ts';

it.each([
  ['127.0.0.1', 'http://localhost:3000'],
  ['0.0.0.0', 'http://localhost:3000, and each address of this machine'],
  ['::', 'http://localhost:3000, and each address of this machine'],
  ['::1', 'http://[::1]:3000'],
  ['192.0.2.7', 'http://192.0.2.7:3000'],
])('on %s the app is named as what a person can open', (host, named) => {
  expect(nameFront({ host, port: 3000 })).toBe(named);
});
