import { expect, test, vi } from 'vitest';

import { startElsewhere } from './start-elsewhere.ts';
import { startNowhere } from './start-nowhere.ts';

test('without an interface and without a recorder elsewhere, a line says that nothing is recorded', () => {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const beside = startNowhere('production');
  expect(write.mock.calls).toEqual([[expect.stringMatching(/^\[flight-recorder\] nothing is recorded: .*`to`\n$/)]]);
  expect([beside.read(), beside.data, beside.owns('/_flight')]).toEqual([undefined, undefined, false]);
  write.mockRestore();
});

test('of a recorder elsewhere there is its address, and no path is the interface’s', async () => {
  const beside = await startElsewhere({ to: `https://${'k'.repeat(32)}@rec.example/shop`, mode: 'production' });
  expect(beside.read()?.recorder).toEqual({ base: 'https://rec.example', app: 'shop', key: 'k'.repeat(32) });
  expect(beside.owns('/_flight')).toBe(false);
  await expect(startElsewhere({ to: 'https://rec.example', mode: 'production' })).rejects.toThrow('not of the form');
});

test.each([
  ['development', 'all'],
  ['production', 'errors'],
] as const)(
  'in %s, flights for a recorder elsewhere are those that RECORD says, and without it: %s',
  async (mode, unset) => {
    const beside = await startElsewhere({ to: `https://${'k'.repeat(32)}@rec.example/shop`, mode });
    expect(beside.readPolicy()).toEqual({ mode: unset });
  },
);
