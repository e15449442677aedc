import { describe, expect, it } from 'vitest';

import { readBudget } from './read-budget.ts';

describe('readBudget', () => {
  it('reads sizes as numbers and as texts', () => {
    const limits = readBudget({ bytes: 1500, gzip: '12kB', duplicates: '1.5 KiB', clientModules: 3 });
    expect(limits).toEqual({ bytes: 1500, gzip: 12_000, duplicates: 1536, clientModules: 3 });
  });

  it('leaves out what is undefined, and takes 0 for a limit', () => {
    expect(readBudget({ bytes: undefined, duplicates: 0 })).toMatchObject({ bytes: undefined, duplicates: 0 });
    expect(readBudget({ clientModules: 0 })).toMatchObject({ clientModules: 0 });
  });

  it.each([
    [undefined, 'budget: it must be an object such as { gzip: "12kB" }; it is undefined'],
    ['12kB', 'budget: it must be an object such as { gzip: "12kB" }; it is "12kB"'],
    [{}, 'budget: it has no limit; there are bytes, gzip, duplicates, clientModules'],
    [{ gzip: undefined }, 'budget: it has no limit; there are bytes, gzip, duplicates, clientModules'],
    [
      { gzip: 1, gzipped: 2 },
      'budget: there is no limit gzipped; there are bytes, gzip, duplicates, clientModules, status',
    ],
    [{ bytes: -1 }, 'budget: bytes must be a size such as 12000, "12kB" or "1.5MiB"; it is -1'],
    [{ gzip: 1.5 }, 'budget: gzip must be a size such as 12000, "12kB" or "1.5MiB"; it is 1.5'],
    [{ gzip: Number.NaN }, 'budget: gzip must be a size such as 12000, "12kB" or "1.5MiB"; it is NaN'],
    [{ duplicates: 'few' }, 'budget: duplicates must be a size such as 12000, "12kB" or "1.5MiB"; it is "few"'],
    [{ clientModules: '3' }, 'budget: clientModules must be a whole number from 0; it is "3"'],
    [{ clientModules: -3 }, 'budget: clientModules must be a whole number from 0; it is -3'],
  ])('refuses %j in one line', (budget, message) => {
    expect(() => readBudget(budget)).toThrow(new TypeError(message));
  });
});
