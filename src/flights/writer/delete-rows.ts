import { ownApp } from '#src/store/own-app.ts';

import type { Prepare } from './prepare.ts';

/** Deletions at once: some milliseconds, with the zeros written over what was there. */
export const deletedAtOnce = 100;

export function deleteCounted(prepare: Prepare, where: string, ...values: (string | number)[]): void {
  for (const table of ['forged', 'leak', 'storm']) prepare(`delete from ${table} where ${where}`).run(...values);
}

/** @returns hashes of the bodies that went with them, because no other flight carried them */
export function deleteRows(prepare: Prepare, ids: readonly number[]): Uint8Array[] {
  const marks = ids.map(() => '?').join(', ');
  const found = prepare(`select distinct body_id from flight where id in (${marks}) and body_id is not null`).all(
    ...ids,
  );
  prepare(`delete from flight where id in (${marks})`).run(...ids);
  const deleteBody = prepare(
    'delete from body where id = ? and not exists (select 1 from flight where body_id = body.id) returning hash',
  );
  return found.flatMap((row) => {
    const hash = deleteBody.get(Number(row['body_id']))?.['hash'];
    return hash instanceof Uint8Array ? [hash] : [];
  });
}

function listIds(prepare: Prepare, sql: string, ...values: (string | number)[]): number[] {
  return prepare(sql)
    .all(...values)
    .map((row) => Number(row['id']));
}

export function listOldest(prepare: Prepare): number[] {
  return listIds(prepare, `select id from flight order by id limit ${deletedAtOnce}`);
}

/** Of another app than our own. */
export function listOldestOf(prepare: Prepare, app: string, upTo: number): number[] {
  return listIds(
    prepare,
    `select id from flight where app = ? and app != '${ownApp}' and id <= ? order by id limit ${deletedAtOnce}`,
    app,
    upTo,
  );
}

export function listTooOld(prepare: Prepare, before: number): number[] {
  return listIds(
    prepare,
    `select id from (select id, started_at from flight order by id limit ${deletedAtOnce}) where started_at < ?`,
    before,
  );
}
