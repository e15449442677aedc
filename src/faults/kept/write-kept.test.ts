import { expect, it } from 'vitest';

import { useOperator } from '#src/access/testing/use-operator.ts';
import { openStore } from '#src/store/open-store.ts';
import { ownApp } from '#src/store/own-app.ts';

import { useStore } from '../grouping/testing/use-store.ts';
import type { Kept } from './kept.ts';
import { writeKept } from './write-kept.ts';

useOperator();
useStore();

const grouping = { fingerprint: 'f', rule: 'frames', parts: ['f'] } as const;
const texts = { app: ownApp, fingerprint: 'f', name: 'Error', message: 'boom', path: '/', frames_json: '[]' };

function toErrorRow(time: number) {
  const request = { phase: 'rsc', kind: 'document', method: 'GET', request_id: '', trace_id: '' } as const;
  const rest = { release: '', stack: '', causes_json: '[]' };
  return {
    ...texts,
    ...request,
    ...rest,
    bytes: 1,
    side: 'server' as const,
    id: `e${time}`,
    digest: `D-${time}`,
    time,
    received_at: time,
    fault: null,
  };
}

const understanding = { fingerprint: 'f', grouping, frames: [] };

/** What is written for one error, one after the other. */
const writers = {
  error: (time) => [{ type: 'own', row: toErrorRow(time), understanding }],
  understanding: (time) => [
    { type: 'own', row: { ...toErrorRow(time), fingerprint: '' }, understanding: undefined },
    { type: 'understanding', id: `e${time}`, understanding },
  ],
  'app-events': (time) => [
    { type: 'app-events', changes: [{ row: toErrorRow(time), replaces: undefined, grouping, frames: [] }] },
  ],
  envelope: (time) => {
    const row = {
      ...texts,
      id: `r${time}`,
      side: 'browser',
      time,
      received_at: time,
      breadcrumbs_json: '[]',
      bytes: 1,
    } as const;
    const shared = {
      digest: null,
      fault: null,
      message: 'boom',
      component_stack: null,
      user_key: null,
    };
    const event = { row: { ...row, ...shared }, grouping, frames: [], pairing: { type: 'new' } } as const;
    return [{ type: 'envelope', app: ownApp, event, feedback: [], outcomes: [], receivedAt: time }];
  },
} as const satisfies Record<string, (time: number) => readonly Kept[]>;

it.each([
  ['error', 'server'],
  ['understanding', 'server'],
  ['app-events', 'server'],
  ['envelope', 'browser'],
] as const)(
  '%s: what is stored is thinned while space is short, and its digests lead to the fault',
  async (type, side) => {
    const store = await openStore();
    async function write(from: number, errors: number): Promise<void> {
      await store.transact(async (trx) => {
        for (let time = from; time < from + errors; time += 1) {
          for (const kept of writers[type](time)) await writeKept(trx, store, kept);
        }
      });
    }
    async function count(): Promise<number> {
      const { rows } = await store.db
        .selectFrom('event')
        .where('side', '=', side)
        .select(({ fn }) => fn.countAll<number>().as('rows'))
        .executeTakeFirstOrThrow();
      return rows;
    }
    await write(1, 200);
    expect(await count()).toBe(200);
    const bytes = Math.round((side === 'server' ? 0.4 : 0.2) * store.limitBytes);
    await store.db.updateTable('kept_app').set({ bytes }).where('side', '=', `event-${side}`).execute();
    await write(201, 200);
    expect(await count()).toBeLessThan(300);
    const { left } = await store.db
      .selectFrom('past_digest')
      .select(({ fn }) => fn.countAll<number>().as('left'))
      .executeTakeFirstOrThrow();
    expect(left + (await count())).toBe(side === 'server' ? 400 : await count());
  },
);
