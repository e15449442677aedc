import { randomBytes } from 'node:crypto';

import { type Kysely, sql, type Transaction } from 'kysely';

import { describeError } from '#boundary';

import type { Tables } from '../schema.ts';

/**
 * When the connection breaks during a commit, nobody knows whether the database has it. So each group of writes counts up one row of
 * its writer, in its own transaction. Whoever writes the same again looks there first. By then the lost transaction is over, since
 * both need the turn to write.
 *
 * After a failure the writer takes a new name. So the row of the old name says for good how far it came. It is the same row that says
 * how far a spool is in the database: there the writer is the spool.
 */
export type CommitMark = { readonly writer: string; readonly sequence: number };

/** The database went away while this group was being committed, or did not answer in time. Its cause is the database's error. */
export class CommitUnknown extends Error {
  readonly mark: CommitMark;

  constructor(mark: CommitMark, cause: unknown) {
    super(`the database went away: ${describeError(cause)}`, { cause });
    this.mark = mark;
  }
}

export type CommitMarks = {
  /** Before each group: one that fails before it is written has a mark of its own, too, which nobody finds. */
  readonly begin: () => void;
  /** As the last statement of each group. */
  readonly write: (trx: Transaction<Tables>) => Promise<void>;
  /** For a write of the group that was begun last, whose sender does not wait for its end. */
  readonly leave: (error: unknown) => CommitUnknown;
  /** For the group that was begun last. */
  readonly fail: (error: unknown) => CommitUnknown;
};

export function createCommitMarks(): CommitMarks {
  let mark: CommitMark = { writer: '', sequence: 0 };
  function rename(): void {
    mark = { writer: randomBytes(12).toString('hex'), sequence: 0 };
  }
  rename();
  return {
    begin() {
      mark = { ...mark, sequence: mark.sequence + 1 };
    },
    write: (trx) => writeMark(trx, mark),
    leave: (error) => new CommitUnknown(mark, error),
    fail(error) {
      const failed = new CommitUnknown(mark, error);
      rename();
      return failed;
    },
  };
}

export async function writeMark(trx: Transaction<Tables>, { writer, sequence }: CommitMark): Promise<void> {
  await trx
    .insertInto('commit_mark')
    .values({ writer, sequence, time: Date.now() })
    .onConflict((conflict) =>
      conflict.column('writer').doUpdateSet({ sequence: sql`excluded.sequence`, time: sql`excluded.time` }),
    )
    .execute();
}

/** How far the writer came: 0 when it has written nothing. */
export async function readMark(db: Kysely<Tables>, writer: string): Promise<number> {
  const found = db.selectFrom('commit_mark').select('sequence').where('writer', '=', writer);
  return (await found.executeTakeFirst())?.sequence ?? 0;
}

/** A spool that is not written within this time is lost with its machine. */
const keptMs = 30 * 24 * 3600 * 1000;

/** Each process leaves one row, and one more for each time that the database was gone. */
export async function deleteOldMarks(db: Kysely<Tables>, now: number = Date.now()): Promise<void> {
  await db
    .deleteFrom('commit_mark')
    .where('time', '<', now - keptMs)
    .execute();
}
