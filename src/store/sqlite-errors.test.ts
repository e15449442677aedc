import { describe, expect, test } from 'vitest';

import { isDamage, readSqliteCode } from './sqlite-errors.ts';

describe('an error of SQLite', () => {
  test.each([
    [11, true],
    [26, true],
    // SQLITE_CORRUPT_INDEX, an extended code of SQLITE_CORRUPT.
    [779, true],
    [1, false],
    [13, false],
    // SQLITE_IOERR_WRITE: its upper bits alone say nothing.
    [778, false],
  ])('with the code %i means damage: %s', (code, expected) => {
    const error = Object.assign(new Error('SQLite'), { errcode: code });
    expect(readSqliteCode(error)).toBe(code);
    expect(isDamage(error)).toBe(expected);
  });

  test.each([[new Error('no code')], [{ errcode: 11 }], [Object.assign(new Error('text'), { errcode: '11' })], [null]])(
    'is not %j',
    (error) => {
      expect(readSqliteCode(error)).toBe(0);
      expect(isDamage(error)).toBe(false);
    },
  );
});
