import path from 'node:path';

import { parseDatabaseUrl } from '#src/server/environment/parse-database-url.ts';
import { prepareFolder } from '#src/store/data-folder.ts';
import { withoutServer } from '#src/store/instance.ts';
import { chooseDataFolder } from '#src/store/prepare-data.ts';
import { readVariable } from '#src/server/environment/variables.ts';

import { WrongUse } from './command.ts';
import { moveMaps } from './move/move-maps.ts';
import { moveTables, type Tell } from './move/move-tables.ts';
import { moveUserKey } from './move/move-user-key.ts';
import { openPostgresSource, openPostgresTarget } from './move/open-postgres-side.ts';
import { openSqliteSource, openSqliteTarget } from './move/open-sqlite-side.ts';
import { refuseSpools } from './move/refuse-spools.ts';
import type { Side, Target } from './move/side.ts';
import { moveOptions } from './options.ts';
import { readOptions, type ReadOptions } from './read-options.ts';

/** `move`: everything from a data folder into PostgreSQL, or back. What it is moved from is read and never written. */

/** Says how far a move is: in a terminal one line that changes, else a line for each table. */
const everyMs = 200;

function createTeller(out: NodeJS.WriteStream = process.stderr) {
  let toldAt = 0;
  function write(line: string, isDone: boolean): void {
    if (!out.isTTY) return void (isDone && out.write(`${line}\n`));
    out.write(`\r\u001B[K${line}${isDone ? '\n' : ''}`);
  }
  const tell: Tell = (step, table, rows, isDone) => {
    if (!isDone && performance.now() - toldAt < everyMs) return;
    toldAt = performance.now();
    write(`${step} ${table}: ${rows} rows`, isDone);
  };
  return {
    tell,
    /** To standard output: it is the result. */
    end(text: string): void {
      process.stdout.write(`${text}\n`);
    },
  };
}

function isUrl(text: string): boolean {
  return /^[a-z][a-z\d+.-]*:\/\//i.test(text);
}

function readEnd(values: ReadOptions['values'], name: '--from' | '--to'): string {
  const given = values.get(name);
  if (given === undefined) throw new WrongUse(`${name} is missing: a data folder, or postgres://…`);
  if (!isUrl(given)) return path.resolve(given);
  if (!parseDatabaseUrl(given)) throw new WrongUse(`${name} is no address of a PostgreSQL database`);
  return given;
}

/** No server may run on a folder meanwhile, nor begin to. */
function holding<T>(end: string, change: () => Promise<T>): Promise<T> {
  if (isUrl(end)) return change();
  prepareFolder(end);
  return withoutServer(end, change);
}

async function run(source: Side, target: Target): Promise<void> {
  const began = performance.now();
  const teller = createTeller();
  const sums = await moveTables(source, target, teller.tell);
  const maps = await moveMaps(source, target);
  await moveUserKey(source, target);
  // A server that wrote into the source after it was compared would leave that behind.
  await source.requireHeld();
  await target.finish();
  const rows = sums.reduce((sum, one) => sum + one.rows, 0);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const ofMaps = maps.there === 0 ? '' : ` and ${maps.there} source maps`;
  const damaged =
    maps.damaged === 0 ? '' : ` ${maps.damaged} source maps are damaged and were left out: upload them again.`;
  teller.end(
    `${rows} rows${ofMaps} are in ${target.shown}, compared with ${source.shown} by count and checksum, in ${seconds} s. ` +
      `${source.shown} is as it was.${damaged}`,
  );
}

export async function move(args: readonly string[]): Promise<number | undefined> {
  const { values, rest } = readOptions(moveOptions, args);
  if (rest !== undefined) return undefined;
  const [from, to] = [readEnd(values, '--from'), readEnd(values, '--to')];
  if (isUrl(from) === isUrl(to)) {
    throw new WrongUse('one of --from and --to is a data folder, and the other postgres://…');
  }
  return holding(from, () =>
    holding(to, async () => {
      // The server's folder, too: with PostgreSQL it may be neither end.
      refuseSpools([from, to].filter((end) => !isUrl(end)).concat(chooseDataFolder(readVariable('FLIGHT_DATA'))));
      const source = isUrl(from) ? await openPostgresSource(from) : openSqliteSource(from);
      try {
        const target = isUrl(to) ? await openPostgresTarget(to) : await openSqliteTarget(to);
        await run(source, target).catch(async (error: unknown) => {
          await target.close();
          throw error;
        });
      } finally {
        await source.close();
      }
      return 0;
    }),
  );
}
