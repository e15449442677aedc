import { describe, expect, it } from 'vitest';

import { readBudget } from './read-budget.ts';

describe('readBudget', () => {
  it('reads sizes as numbers and as texts', () => {
    const limits = readBudget({ bytes: 1500, gzip: '12kB', duplicates: '1.5 KiB', clientModules: 3 });
    expect(limits).toEqual({ bytes: 1500, gzip: 12_000, duplicates: 1536, clientModules: 3 });
  });

  it('reads how much more than a base has', () => {
    const limits = readBudget({ base: 'saved', bytes: '+5%', gzip: '+1.5 kB', duplicates: '+0', clientModules: '+1' });
    expect(limits).toMatchObject({
      bytes: { unit: 'percent', value: 5 },
      gzip: { unit: 'bytes', value: 1500 },
      duplicates: { unit: 'bytes', value: 0 },
      clientModules: { unit: 'bytes', value: 1 },
      base: { base: 'saved', route: undefined },
    });
  });

  it('leaves out what is undefined, and takes 0 for a limit', () => {
    expect(readBudget({ bytes: undefined, duplicates: 0 })).toMatchObject({ bytes: undefined, duplicates: 0 });
    expect(readBudget({ clientModules: 0 })).toMatchObject({ clientModules: 0 });
  });

  it.each([
    [undefined, 'budget: it must be an object such as { gzip: "12kB" }; it is undefined'],
    ['12kB', 'budget: it must be an object such as { gzip: "12kB" }; it is "12kB"'],
    [{}, 'budget: it has no limit; there are bytes, gzip, duplicates, clientModules, noSecrets'],
    [{ gzip: undefined }, 'budget: it has no limit; there are bytes, gzip, duplicates, clientModules, noSecrets'],
    [
      { gzip: 1, gzipped: 2 },
      'budget: there is no limit gzipped; there are bytes, gzip, duplicates, clientModules, noSecrets, status, base, route',
    ],
    [{ bytes: -1 }, 'budget: bytes must be a size such as 12000, "12kB" or "1.5MiB", or with a base "+5%"; it is -1'],
    [{ gzip: 1.5 }, 'budget: gzip must be a size such as 12000, "12kB" or "1.5MiB", or with a base "+5%"; it is 1.5'],
    [
      { gzip: Number.NaN },
      'budget: gzip must be a size such as 12000, "12kB" or "1.5MiB", or with a base "+5%"; it is NaN',
    ],
    [
      { duplicates: 'few' },
      'budget: duplicates must be a size such as 12000, "12kB" or "1.5MiB", or with a base "+5%"; it is "few"',
    ],
    [{ clientModules: '3' }, 'budget: clientModules must be a whole number from 0, or with a base "+1"; it is "3"'],
    [{ noSecrets: 1 }, 'budget: noSecrets must be true or false; it is 1'],
    [{ gzip: '5%' }, 'budget: gzip must be a size such as 12000, "12kB" or "1.5MiB", or with a base "+5%"; it is "5%"'],
    [
      { base: 'saved', gzip: '+much' },
      'budget: gzip must be a size such as 12000, "12kB" or "1.5MiB", or with a base "+5%"; it is "+much"',
    ],
    [
      { base: 'saved', clientModules: '+1kB' },
      'budget: clientModules must be a whole number from 0, or with a base "+1"; it is "+1kB"',
    ],
    [{ gzip: '+5%' }, 'budget: a limit such as "+5%" needs a base, such as base: "http://localhost:3001"'],
    [{ base: 'saved', gzip: '5kB' }, 'budget: there is a base, and no limit is taken from it, such as gzip: "+5%"'],
    [{ base: '', gzip: '+5%' }, 'budget: base must be an address, a folder, a file or a recorder\'s list; it is ""'],
    [{ route: '/', gzip: '5kB' }, 'budget: route must be what the base calls the page, and needs a base; it is "/"'],
    [{ clientModules: -3 }, 'budget: clientModules must be a whole number from 0, or with a base "+1"; it is -3'],
  ])('refuses %j in one line', (budget, message) => {
    expect(() => readBudget(budget)).toThrow(new TypeError(message));
  });
});
