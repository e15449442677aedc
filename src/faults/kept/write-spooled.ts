import 'server-only';

import type { Transaction } from 'kysely';

import { describeError } from '#boundary';
import { writeLog } from '#src/server/http/log.ts';
import type { Store } from '#src/store/open-store.ts';
import { readPostgresCode } from '#src/store/postgres/postgres-errors.ts';
import type { Tables } from '#src/store/schema.ts';
import { readMark, writeMark } from '#src/store/spool/commit-marks.ts';
import type { Batch, SpoolTarget } from '#src/store/spool/create-spool.ts';
import type { SpoolRecord } from '#src/store/spool/record-line.ts';

import { addOutcomes } from '../receive/outcomes.ts';
import { forgetUnkept } from '../digests/unkept-digests.ts';
import { readSpooledKept } from './kept.ts';
import { isWritten, tellWrittenKept, writeKept } from './write-kept.ts';

/** Writes what waited in a spool, each record once, in the order in which it was added. */

class UnknownRecord extends Error {}

/** @returns what tells of it, after the commit; undefined when it was there already */
async function writeRecord(
  trx: Transaction<Tables>,
  store: Store,
  record: SpoolRecord,
): Promise<(() => void) | undefined> {
  const spooled = readSpooledKept(record.kept);
  if (!spooled) throw new UnknownRecord('this build does not know what it is');
  const { kept, mark } = spooled;
  if (mark && (await readMark(trx, mark.writer)) >= mark.sequence) return undefined;
  if (await isWritten(trx, kept)) return undefined;
  const written = await writeKept(trx, store, kept);
  return () => tellWrittenKept(kept, written);
}

/** It is on the page with what was not kept: whoever sent it was told that it is. */
async function tellLost(trx: Transaction<Tables>, reason: string, count: number): Promise<void> {
  await addOutcomes(trx, [{ source: 'receiver', type: 'event', reason, count }], Date.now());
}

function forgetWritten(records: readonly SpoolRecord[]): void {
  for (const { kept } of records) {
    const spooled = readSpooledKept(kept);
    if (spooled?.kept.type === 'own') forgetUnkept(spooled.kept.row.id);
  }
}

/** The database answers, and has no room or too much to do. */
class NotTaken extends Error {}

/**
 * Whether the fault is in the record: only then is what was acknowledged given up. Everything else may be over later, be it a right that
 * is missing, a turn to write that did not come, or something nobody thought of; until then the record waits, and what is behind it.
 */
function isOfRecord(error: unknown): boolean {
  // 22: data exceptions. 23: what the tables do not allow. 54: too large for a limit of the program.
  if (/^(?:22|23|54)...$/.test(readPostgresCode(error) ?? '')) return true;
  // Thrown by code that met what it did not expect.
  return [UnknownRecord, TypeError, RangeError, URIError, SyntaxError].some((type) => error instanceof type);
}

export function createTarget(store: Store): SpoolTarget {
  /** @throws the database's error, and when it takes nothing */
  async function commit(batch: Batch, within: (trx: Transaction<Tables>, position: number) => Promise<void>) {
    const result = await store.commit(async (trx) => {
      const position = await readMark(trx, batch.spool);
      await within(trx, position);
      if (batch.through > position) await writeMark(trx, { writer: batch.spool, sequence: batch.through });
    });
    if (result !== 'committed') throw new NotTaken(`the database takes nothing: ${result}`);
  }

  async function writeTogether(batch: Batch): Promise<void> {
    const { records, damaged } = batch;
    let tellings: (() => void)[] = [];
    await commit(batch, async (trx, position) => {
      tellings = [];
      for (const record of records) {
        if (record.n <= position) continue;
        const telling = await writeRecord(trx, store, record);
        if (telling) tellings.push(telling);
      }
      if (damaged > 0) await tellLost(trx, 'spool_damaged', damaged);
    });
    for (const telling of tellings) telling();
  }

  /** @returns how many were refused */
  async function writeAlone(spool: string, record: SpoolRecord): Promise<number> {
    const { n } = record;
    try {
      await writeTogether({ spool, records: [record], through: n, damaged: 0 });
      return 0;
    } catch (error) {
      if (!isOfRecord(error)) throw error;
      writeLog('error', 'spooled-not-stored', { spool, n, reason: describeError(error) });
      await commit({ spool, records: [], through: n, damaged: 0 }, (trx) => tellLost(trx, 'spool_refused', 1));
      return 1;
    }
  }

  return {
    probe: store.ask,
    async write(batch) {
      let refused = 0;
      try {
        await writeTogether(batch);
      } catch (error) {
        if (!isOfRecord(error)) throw error;
        // One of them is refused: the others are not lost with it.
        for (const record of batch.records) refused += await writeAlone(batch.spool, record);
        if (batch.damaged > 0) await writeTogether({ ...batch, records: [] });
      }
      forgetWritten(batch.records);
      return refused;
    },
  };
}
