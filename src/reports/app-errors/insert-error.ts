import 'server-only';

import type { Insertable, Transaction } from 'kysely';

import type { Grouping } from '#src/runtime/errors/fingerprint.ts';
import type { SourceFrame } from '#src/runtime/errors/source-maps.ts';
import type { ErrorTable, Tables } from '#src/store/schema.ts';

import { noteErrorRow } from '../faults/note-row.ts';
import { toToldError } from '../stored-errors.ts';
import type { ToldError } from '#src/telemetry/told.ts';

/** An error of another app that is being stored, and the row of the same occurrence that knows less. */
export type ErrorChange = {
  readonly row: Insertable<ErrorTable>;
  readonly replaces: string | undefined;
  readonly grouping: Grouping;
  readonly frames: readonly SourceFrame[];
};

/** What only SDKs send: it goes over to a row that knows more of the rest. */
const sdkColumns = ['level', 'environment', 'sdk', 'tags_json', 'extra_json', 'user_key', 'breadcrumbs_json'] as const;
const knownColumns = ['id', 'fault', 'ordinal', ...sdkColumns] as const;

/** @returns what was stored when it is one more occurrence, not one that is known and now better described */
export async function insertError(trx: Transaction<Tables>, change: ErrorChange): Promise<ToldError | undefined> {
  const { row, replaces, grouping, frames } = change;
  const known = await trx
    .selectFrom('error')
    .select(knownColumns)
    .where('id', 'in', replaces === undefined ? [row.id] : [row.id, replaces])
    .executeTakeFirst();
  if (known?.id === row.id) return undefined;
  if (replaces !== undefined) await trx.deleteFrom('error').where('id', '=', replaces).execute();
  // What replaces another row was counted with that one, and stays in its fault: both saw the same.
  const isCounted = known !== undefined && known.fault !== null;
  const { fault, ordinal } = isCounted ? known : await noteErrorRow(trx, row, { grouping, frames });
  const { id: _id, fault: _fault, ordinal: _ordinal, ...details } = known ?? { id: '', fault: null, ordinal: null };
  await trx
    .insertInto('error')
    .orFail()
    .values({ ...row, ...(known?.sdk ? details : {}), fault, ordinal })
    .execute();
  return known === undefined ? toToldError(row, fault) : undefined;
}

/** Adds what an SDK says to the row that a reporter of ours has sent of the same occurrence. */
export async function completeError(trx: Transaction<Tables>, id: string, row: Insertable<ErrorTable>): Promise<void> {
  const { level, environment, sdk, tags_json, extra_json, user_key, breadcrumbs_json } = row;
  const texts = [environment, sdk, tags_json, extra_json, breadcrumbs_json];
  const bytes = texts.reduce((sum: number, text) => sum + Buffer.byteLength(text ?? ''), 0);
  await trx
    .updateTable('error')
    .set(({ eb }) => ({
      level,
      environment,
      sdk,
      tags_json,
      extra_json,
      user_key,
      breadcrumbs_json,
      bytes: eb('bytes', '+', bytes),
    }))
    .where('id', '=', id)
    .where('sdk', '=', '')
    .execute();
}
