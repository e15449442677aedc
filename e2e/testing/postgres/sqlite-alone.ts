/** Test files that open the store and do not run a second time on PostgreSQL (files.ts), each with the reason. */
export const sqliteAlone: Readonly<Record<string, string>> = {
  'src/faults/digests/look-up-holders.test.ts':
    'how SQLite plans a look-up; PostgreSQL has statistics, and another process to wait in',
  'src/command/follow-policy.test.ts':
    'the file’s version says what changed; follow-policy.postgres.test.ts is its counterpart',
  'src/command/operator-commands.test.ts': 'commands on a data folder: its copies, its lock, its damage',
  'src/access/sessions.test.ts':
    'writes into the file as another process; store/postgres/sharing.test.ts is its counterpart',
  'src/flights/recorder/aging.test.ts':
    'the file of flights, with a clock that is set; writer/postgres/postgres-writer.test.ts is its counterpart',
  'src/flights/recorder/plain-node.test.ts': 'which modules plain Node loads',
  'src/flights/recorder/upgrade-recording.test.ts': 'the version of SQLite’s file',
  'src/flights/recorder/recorder.test.ts':
    'starts and ends many threads that load TypeScript, which has ended its process there; writer/flight-writer.test.ts is its counterpart',
  'src/faults/grouping/fault-pairs.test.ts':
    'how errors are grouped; nothing is asked of the store but what it was given',
  'src/store/backup-maps.test.ts': 'maps in SQLite’s backup file; PostgreSQL has them in its own',
  'src/store/check-files.test.ts': 'SQLite’s files',
  'src/store/database-file.test.ts': 'SQLite’s files',
  'src/store/open-store.test.ts': 'SQLite’s file; store/postgres/open-postgres-store.test.ts is its counterpart',
  'src/store/open-when-there.test.ts': 'asks no database',
  'src/store/restore-database.test.ts': 'SQLite’s files',
  'src/store/slow-disk.test.ts': 'how SQLite’s log reaches the disk',
  'src/store/space.test.ts': 'the room on the disk of SQLite’s file',
  'src/store/upgrade-copy.test.ts': 'copies of SQLite’s file',
};
