import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { expect, it, onTestFinished } from 'vitest';

import { flightsFile, openFlightsFile, openFlightsForReading } from './open-flights.ts';
import { latestVersion } from './migrations.ts';

function makeFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'flight-open-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Leaves a database of somebody else's in place of ours. @param more SQL */
function makeOther(file: string, more = ''): void {
  const other = new DatabaseSync(file);
  other.exec(`create table unknown_to_us (id integer); ${more}`);
  other.close();
}

it('finds nothing to read in a file that the writer is just making', () => {
  const folder = makeFolder();
  expect(openFlightsForReading(folder)).toBeUndefined();
  // What SQLite leaves on disk before the first transaction.
  writeFileSync(path.join(folder, flightsFile), '');
  expect(openFlightsForReading(folder)).toBeUndefined();
});

it('reads what the writer has made', () => {
  const folder = makeFolder();
  const { database } = openFlightsFile(folder);
  const reader = openFlightsForReading(folder);
  expect(reader?.prepare('select count(*) as count from flight').get()).toEqual({ count: 0 });
  reader?.close();
  database.close();
});

it('is for its owner alone, in a folder of somebody else’s making too', () => {
  const folder = makeFolder();
  chmodSync(folder, 0o755);
  const { database } = openFlightsFile(folder);
  const files = readdirSync(folder).filter((name) => statSync(path.join(folder, name)).isFile());
  expect(files.toSorted()).toEqual([flightsFile, `${flightsFile}-shm`, `${flightsFile}-wal`]);
  for (const name of files) expect(statSync(path.join(folder, name)).mode & 0o777).toBe(0o600);
  database.close();
});

it('begins anew beside a database without a version, which is not ours', () => {
  const folder = makeFolder();
  const file = path.join(folder, flightsFile);
  makeOther(file);
  openFlightsFile(folder).database.close();
  const names = (of: string) => {
    const database = new DatabaseSync(of);
    const rows = database.prepare("select name from sqlite_master where name in ('unknown_to_us', 'flight')").all();
    database.close();
    return rows.map((row) => row['name']);
  };
  expect([names(file), names(`${file}.damaged`)]).toEqual([['flight'], ['unknown_to_us']]);
});

it('refuses one that a later build wrote, and leaves it as it is', () => {
  const folder = makeFolder();
  const file = path.join(folder, flightsFile);
  makeOther(file, 'pragma user_version = 999');
  expect(() => openFlightsFile(folder)).toThrow(`flights.db has version 999 and this build knows ${latestVersion}`);
  expect(existsSync(`${file}.damaged`)).toBe(false);
  const kept = new DatabaseSync(file);
  expect(kept.prepare('pragma user_version').get()).toEqual({ user_version: 999 });
  expect(kept.prepare('select name from sqlite_master').all()).toEqual([{ name: 'unknown_to_us' }]);
  kept.close();
});
