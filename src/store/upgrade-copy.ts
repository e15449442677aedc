import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { copyDatabase } from './copy-database.ts';

/**
 * The way back from an upgrade: an older build refuses the newer schema, so the database as the older one left it is
 * kept as `flight-before-v<N>.db`, N being the schema that it is upgraded to.
 */

/** This upgrade's and the one before; each is as large as the database was. */
const copiesKept = 2;
const copyName = /^flight-before-v(\d+)\.db$/;

function readVersion(file: string): number {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return Number(database.prepare('pragma user_version').get()?.['user_version']);
  } finally {
    database.close();
  }
}

/**
 * Copies `database`, whose schema is `version`, before it is upgraded to `target`. After an upgrade that was interrupted
 * between two steps, the copy from before the first step stays.
 * @throws when there is no room for the copy, or when the database turns out to be damaged
 */
export async function keepCopyBeforeUpgrade(database: string, version: number, target: number): Promise<void> {
  const folder = path.dirname(database);
  const copy = path.join(folder, `flight-before-v${target}.db`);
  if (existsSync(copy)) {
    if (readVersion(copy) < version) return;
    rmSync(copy);
  }
  await copyDatabase(database, copy);
  const copies = readdirSync(folder).flatMap((name) => {
    const found = copyName.exec(name)?.[1];
    return found === undefined ? [] : [Number(found)];
  });
  const outdated = copies.toSorted((a, b) => b - a).slice(copiesKept);
  for (const number of outdated) rmSync(path.join(folder, `flight-before-v${number}.db`));
}
