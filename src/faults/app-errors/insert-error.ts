import 'server-only';

import { sql, type Transaction } from 'kysely';

import type { Store } from '#src/store/open-store.ts';
import { ownApp } from '#src/store/own-app.ts';
import type { NewEvent, Tables } from '#src/store/schema.ts';

import { renameReason } from '../grouping/add-activity.ts';
import { uncount } from '../grouping/uncount.ts';
import { mapSaid, saidWords } from '../event/said-words.ts';
import { toExportedError } from '../kept/stored-errors.ts';
import { type EventToKeep, insertEvent, storeEvent } from '../kept/insert-event.ts';
import { selectEvents } from '../kept/select-events.ts';
import { findSamePlace, mayTakeDigest, takeBackDigest, withOwnDigest } from './own-digest.ts';
import { removeRow, takeBackAnswer } from '../unexplained/take-back-answer.ts';
import type { ExportedError } from '#src/flights/telemetry/exported.ts';

/** An error of another app that is being stored, and the row of the same error that knows less. */
export type ErrorChange = EventToKeep & {
  readonly replaces?: string | undefined;
  /** It was found in an app's output. What a visitor wrote may stand in there, and look like an error. */
  readonly isPrinted?: boolean;
  /** The row of the same error, which may have been told without its digest. Nothing else of this one is stored. */
  readonly names?: string;
};

/** What only SDKs send: it goes over to a row that knows more of the rest. */
const sdkColumns = [...saidWords, 'level', 'tags_json', 'extra_json', 'user_key', 'breadcrumbs_json'] as const;
const knownColumns = [
  'id',
  'fault',
  'fingerprint',
  'ordinal',
  'message',
  'digest',
  'printed',
  'received_at',
  ...sdkColumns,
] as const;

const rowsCompared = 20;

/** Its output did not say the phase, and the faults are filtered by what their errors said. */
async function forgetUnknownPhase(trx: Transaction<Tables>, app: string, fingerprint: string): Promise<void> {
  await sql`delete from fault_facet where app = ${app} and hash = ${fingerprint} and name = 'phase' and value = 'unknown'
    and not exists (select 1 from (select phase from event where fingerprint = ${fingerprint} and side = 'server'
      order by time desc limit ${rowsCompared}) as latest where phase = 'unknown')`.execute(trx);
}

/** @returns what was stored when it is one more error, not one that is known and now better described */
export async function insertError(
  trx: Transaction<Tables>,
  store: Pick<Store, 'limitBytes'>,
  change: ErrorChange,
): Promise<ExportedError | undefined> {
  const { row, replaces, grouping, frames } = change;
  if (change.names !== undefined) {
    await nameError(trx, change.names, row.digest);
    return undefined;
  }
  const known = await selectEvents(trx, 'server')
    .select(knownColumns)
    .where('id', 'in', replaces === undefined ? [row.id] : [row.id, replaces])
    .executeTakeFirst();
  if (known?.id === row.id) return undefined;
  if (replaces !== undefined) {
    await removeRow(trx, replaces);
    await renameReason(trx, replaces, row.id);
    if (known && row.phase !== 'unknown') await forgetUnknownPhase(trx, row.app ?? ownApp, known.fingerprint);
  }
  // What was printed with other words or frames may be a visitor's text, and then so is its fault.
  const isAlike = known?.message === row.message && known.fingerprint === row.fingerprint;
  const saysOther = known?.printed === 1 && !isAlike;
  // What replaces another row was counted with that one, and stays in its fault: both saw the same.
  if (known && known.fault !== null && !saysOther) {
    const { fault, fingerprint, ordinal } = known;
    const digest = row.digest ?? known.digest;
    await insertEvent(trx, { ...row, ...(known.sdk ? known : {}), id: row.id, digest, fault, fingerprint, ordinal });
    return undefined;
  }
  if (!change.isPrinted) await takeBackDigest(trx, row);
  const own = change.isPrinted ? await withOwnDigest(trx, row) : row;
  const answer = await takeBackAnswer(trx, own);
  const printed = known?.printed === 1 && known.message === row.message ? known.digest : null;
  const isNamed = !row.digest && printed !== null && (await mayTakeDigest(trx, row, printed));
  const digest = isNamed ? printed : (own.digest ?? null);
  const merged = { ...own, ...(known?.sdk ? known : {}), id: row.id, digest };
  const app = row.app ?? ownApp;
  const fingerprint = await findSamePlace(trx, { ...merged, fingerprint: row.fingerprint });
  const group = fingerprint === undefined ? grouping : { ...grouping, fingerprint };
  const { fault } = await storeEvent(trx, store, { row: merged, grouping: group, frames });
  if (answer && fault !== null) await uncount(trx, { as: 'count', app, ...answer }, fault);
  if (known && known.fault !== null && fault !== null) {
    const { fault: left, fingerprint: hash, received_at: receivedAt } = known;
    await uncount(trx, { as: 'count', app, fault: left, hash, receivedAt }, fault);
  }
  return known === undefined ? toExportedError(row, fault) : undefined;
}

/** An SDK may not know the digest that Next.js has printed. */
async function nameError(trx: Transaction<Tables>, id: string, digest: NewEvent['digest']): Promise<void> {
  const known = await selectEvents(trx, 'server')
    .select(['app', 'message', 'digest'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (!digest || !known || known.digest !== null || !(await mayTakeDigest(trx, known, digest))) return;
  await trx.updateTable('event').set({ digest }).where('id', '=', id).where('side', '=', 'server').execute();
}

/** Adds what an SDK says to the row that a reporter of ours has sent of the same error. */
export async function completeError(trx: Transaction<Tables>, id: string, row: NewEvent): Promise<void> {
  const { level, tags_json, extra_json, user_key, breadcrumbs_json } = row;
  const words = mapSaid((word) => row[word] ?? '');
  const texts = [...Object.values(words), tags_json, extra_json, breadcrumbs_json];
  const bytes = texts.reduce((sum: number, text) => sum + Buffer.byteLength(text ?? ''), 0);
  await trx
    .updateTable('event')
    .set(({ eb }) => ({
      ...words,
      level,
      tags_json,
      extra_json,
      user_key,
      breadcrumbs_json,
      bytes: eb('bytes', '+', bytes),
    }))
    .where('id', '=', id)
    .where('side', '=', 'server')
    .where('sdk', '=', '')
    .execute();
}
