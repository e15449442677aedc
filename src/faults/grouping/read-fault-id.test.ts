import { expect, it } from 'vitest';

import { readFaultId } from './read-fault-id.ts';

it.each([
  ['7k3m9qrt', '7k3m9qrt'],
  ['  7K3M9QRT\n', '7k3m9qrt'],
  ['https://errors.example.com/faults/7k3m9qrt?error=shop.1#x', '7k3m9qrt'],
  ['/faults/7k3m9qrt', '7k3m9qrt'],
  ['7k3m9qr', undefined],
  ['7k3m9qrtt', undefined],
  ['https://errors.example.com/faults/', undefined],
  // No id has these letters.
  ['iloviloa', undefined],
  ['', undefined],
])('%s', (typed, id) => {
  expect(readFaultId(typed)).toBe(id);
});
