import { afterEach, expect, it } from 'vitest';

import { keepFilesPrivate, withUsersMask } from './private-files.ts';

const before = process.umask();

afterEach(() => {
  process.umask(before);
});

it('keeps files private, and starts the app with the mask of the person, also when that fails', () => {
  process.umask(0o027);
  keepFilesPrivate();
  keepFilesPrivate();
  expect(process.umask()).toBe(0o077);
  expect(withUsersMask(() => process.umask())).toBe(0o027);
  expect(process.umask()).toBe(0o077);
  expect(() =>
    withUsersMask(() => {
      throw new Error('no such command');
    }),
  ).toThrow('no such command');
  expect(process.umask()).toBe(0o077);
});
