import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { contractFiles, ownPostgresFiles, postgresFiles } from './files.ts';
import { sqliteAlone } from './sqlite-alone.ts';

const root = path.join(import.meta.dirname, '../../..');
const testFiles = globSync('{src,packages,bench,scripts}/**/*.test.{ts,tsx,mjs}', { cwd: root });

const onPostgres = [...contractFiles, ...ownPostgresFiles, ...postgresFiles];

/** How a test gets at a store, or starts a recorder on one. */
const opens = /\b(?:openStore|useStore|useRecorder|startRecorder|openSqliteWriter|openFlightsReader)\(/;

function matches(file: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => path.matchesGlob(file, pattern));
}

describe('test files that open the store', () => {
  const found = testFiles.filter((file) => opens.test(readFileSync(path.join(root, file), 'utf8')));

  it('run on PostgreSQL, too, or are here with the reason why not', () => {
    expect(found.length).toBeGreaterThan(60);
    const listed = [...onPostgres, ...Object.keys(sqliteAlone)];
    expect(found.filter((file) => !matches(file, listed)).toSorted()).toEqual([]);
  });

  it('are listed once, and exist', () => {
    expect(Object.keys(sqliteAlone).filter((file) => !found.includes(file))).toEqual([]);
    expect(Object.keys(sqliteAlone).filter((file) => matches(file, onPostgres))).toEqual([]);
    expect(onPostgres.filter((pattern) => !testFiles.some((file) => matches(file, [pattern])))).toEqual([]);
    const twice = testFiles.filter((file) => onPostgres.filter((pattern) => matches(file, [pattern])).length > 1);
    expect(twice).toEqual([]);
  });
});
