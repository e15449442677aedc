import 'server-only';

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { Insertable } from 'kysely';
import { afterEach, beforeEach, vi } from 'vitest';

import { computeGrouping, type Grouping } from '#src/runtime/errors/fingerprint.ts';
import { openStore, type Store } from '#src/store/open-store.ts';
import type { ErrorTable, ReportTable } from '#src/store/schema.ts';

import { noteErrorRow, noteReportRow } from '../note-row.ts';

/** A store of its own for each test, and occurrences as receivers store them. */

let folder = '';

export function useStore(): void {
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'flight-faults-'));
    vi.stubEnv('FLIGHT_DATA', folder);
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    for (const store of globalThis.__FLIGHT_STORES__?.values() ?? []) await (await store).close();
    rmSync(folder, { recursive: true });
  });
}

let ids = 0;

function createId(): string {
  ids += 1;
  return String(ids).padStart(32, '0');
}

type Parts = { readonly grouping?: Grouping };

function groupByName(name: string, message: string): Grouping {
  return computeGrouping({ name, message, frames: [] });
}

/** @returns its id, its fault and the turn that it made */
export async function storeError(parts: Partial<Insertable<ErrorTable>> & Parts = {}) {
  const { grouping: given, ...columns } = parts;
  const row = {
    id: createId(),
    digest: null,
    time: columns.received_at ?? 1e3,
    received_at: 1e3,
    app: 'shop',
    phase: 'rsc',
    kind: 'document',
    method: 'GET',
    path: '/',
    request_id: '',
    trace_id: '',
    release: '',
    name: 'Error',
    message: 'failed',
    stack: '',
    frames_json: '[]',
    component_stack: null,
    causes_json: '[]',
    ...columns,
  } satisfies Omit<Insertable<ErrorTable>, 'fingerprint'>;
  const grouping = given ?? groupByName(row.name, row.message);
  const store = await openStore();
  return store.transact(async (trx) => {
    const { fault, turn } = await noteErrorRow(trx, row, { grouping, frames: [] });
    await trx
      .insertInto('error')
      .values({ ...row, fingerprint: grouping.fingerprint, fault })
      .execute();
    return { id: row.id, fault, turn, hash: grouping.fingerprint };
  });
}

/** @returns its id, its columns and the turn that it made */
export async function storeReport(parts: Partial<Insertable<ReportTable>> & Parts = {}) {
  const { grouping: given, ...columns } = parts;
  const row = {
    event_id: createId(),
    digest: null,
    time: columns.received_at ?? 1e3,
    received_at: 1e3,
    app: 'shop',
    side: 'browser',
    path: '/',
    release: null,
    trace_id: null,
    user_agent: null,
    breadcrumbs_json: '[]',
    name: 'Error',
    message: 'failed',
    frames_json: '[]',
    component_stack: null,
    ...columns,
  } satisfies Omit<Insertable<ReportTable>, 'fingerprint'>;
  const grouping = given ?? groupByName(row.name, row.message);
  const store = await openStore();
  return store.transact(async (trx) => {
    const noted = await noteReportRow(trx, { ...row }, { grouping, frames: [] });
    await trx
      .insertInto('report')
      .values({ ...row, ...noted.columns })
      .execute();
    return { id: row.event_id, ...noted.columns, turn: noted.turn };
  });
}

export async function readFaultRow(id: string) {
  const { db } = await openStore();
  return db.selectFrom('fault').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

export async function readTurnTypes(fault: string): Promise<readonly string[]> {
  const { db } = await openStore();
  const turns = await db.selectFrom('fault_turn').select('type').where('fault', '=', fault).orderBy('id').execute();
  return turns.map(({ type }) => type);
}

/** Everything about faults but their log and their names, for comparing. */
export async function readSums({ db }: Pick<Store, 'db'>) {
  const faults = await db.selectFrom('fault').selectAll().orderBy('id').execute();
  const hashes = await db
    .selectFrom('fault_hash')
    .select(['app', 'hash', 'fault'])
    .orderBy('app')
    .orderBy('hash')
    .execute();
  const errors = await db.selectFrom('error').select(['id', 'fault', 'fingerprint']).orderBy('id').execute();
  const reports = await db
    .selectFrom('report')
    .select(['event_id', 'fault', 'fingerprint'])
    .orderBy('event_id')
    .execute();
  return { faults, hashes, errors, reports };
}
