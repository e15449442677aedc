import 'server-only';

import { parseDatabaseUrl } from '#src/server/environment/parse-database-url.ts';
import { readSetting } from '#src/server/environment/read-setting.ts';

import { operatorCommand } from '../operator-command.ts';

/**
 * PostgreSQL makes and restores its backups with programs of its own, which know its versions, other machines and points in time. A
 * copy of ours would be a worse one. So with `DATABASE_URL` the two commands say what to run, with the address in its variable:
 * a password would stay in the shell's history.
 *
 * `pg_restore --clean` would drop what the backup has, one by one, and stops at the parts of the flights, which the database has and the
 * backup may not: so everything goes at once, in one transaction with what comes instead.
 */
function shellQuote(text: string): string {
  return /^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function readShown(): string | undefined {
  const url = readSetting('DATABASE_URL');
  return url === undefined ? undefined : (parseDatabaseUrl(url)?.shown ?? 'PostgreSQL');
}

/** @throws where the data is in PostgreSQL, with the command */
export function refuseBackup(file: string): void {
  const shown = readShown();
  if (shown === undefined) return;
  throw new Error(
    `the data is in ${shown}, which has its own backups. Run: ` +
      `pg_dump --format=custom --file=${shellQuote(file)} "$DATABASE_URL"`,
  );
}

/** @throws where the data is in PostgreSQL, with the commands */
export function refuseRestore(file: string): void {
  const shown = readShown();
  if (shown === undefined) return;
  throw new Error(
    `the data is in ${shown}. Stop every instance, then run: ` +
      [
        `pg_restore --no-owner --file=${shellQuote(`${file}.sql`)} ${shellQuote(file)}`,
        `psql --quiet --single-transaction --set=ON_ERROR_STOP=1 --command='drop schema public cascade' ` +
          `--command='create schema public' --file=${shellQuote(`${file}.sql`)} "$DATABASE_URL"`,
        operatorCommand('sessions revoke --all'),
        operatorCommand('token revoke --all'),
      ].join(' && '),
  );
}
