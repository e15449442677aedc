import 'server-only';

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, vi } from 'vitest';

import { computeGrouping } from '#src/runtime/errors/fingerprint.ts';
import type { Grouping } from '#src/runtime/errors/grouping.ts';
import { openStore, type Store } from '#src/store/open-store.ts';
import type { NewEvent } from '#src/store/schema.ts';

import { insertEvent } from '../../kept/insert-event.ts';
import { noteEvent } from '../note-row.ts';

/** A store of its own for each test, and errors as receivers store them. */

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

/** @returns its id, its fault and the activity that it made */
export async function storeError(parts: Partial<NewEvent> & Parts = {}) {
  const { grouping: given, ...columns } = parts;
  const row = {
    id: createId(),
    side: 'server',
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
  } satisfies Omit<NewEvent, 'fingerprint'>;
  const grouping = given ?? groupByName(row.name, row.message);
  const store = await openStore();
  return store.transact(async (trx) => {
    const { columns: noted, activity } = await noteEvent(trx, row, { grouping, frames: [] });
    await insertEvent(trx, { ...row, ...noted });
    return { id: row.id, fault: noted.fault ?? '', activity, hash: noted.fingerprint };
  });
}

/** @returns its id, its columns and the activity that it made */
export async function storeUntrusted(parts: Partial<NewEvent> & Parts = {}) {
  const { grouping: given, ...columns } = parts;
  const row = {
    id: createId(),
    digest: null,
    time: columns.received_at ?? 1e3,
    received_at: 1e3,
    app: 'shop',
    side: 'browser',
    path: '/',
    breadcrumbs_json: '[]',
    name: 'Error',
    message: 'failed',
    frames_json: '[]',
    component_stack: null,
    ...columns,
  } satisfies Omit<NewEvent, 'fingerprint'>;
  const grouping = given ?? groupByName(row.name, row.message);
  const store = await openStore();
  return store.transact(async (trx) => {
    const noted = await noteEvent(trx, { ...row }, { grouping, frames: [] });
    await insertEvent(trx, { ...row, ...noted.columns });
    return { id: row.id, ...noted.columns, activity: noted.activity };
  });
}

export async function readFaultRow(id: string) {
  const { db } = await openStore();
  return db.selectFrom('fault').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

export async function readActivityTypes(fault: string): Promise<readonly string[]> {
  const { db } = await openStore();
  const activities = await db
    .selectFrom('fault_activity')
    .select('type')
    .where('fault', '=', fault)
    .orderBy('id')
    .execute();
  return activities.map(({ type }) => type);
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
  const errors = await db
    .selectFrom('event')
    .where('side', '=', 'server')
    .select(['id', 'fault', 'fingerprint'])
    .orderBy('id')
    .execute();
  const untrusted = await db
    .selectFrom('event')
    .where('side', '=', 'browser')
    .select(['id', 'fault', 'fingerprint'])
    .orderBy('id')
    .execute();
  return { faults, hashes, errors, untrusted };
}
