import 'server-only';

import type { Kysely } from 'kysely';

import { compileOnce } from '#src/store/compile-once.ts';
import { compileWith } from '#src/store/compile-with.ts';
import type { FaultTurnTable, Tables } from '#src/store/schema.ts';

import { createTurnId } from './turn-id.ts';

type Turn = Pick<FaultTurnTable, 'fault' | 'app' | 'time' | 'type' | 'by'> & {
  readonly occurrence?: string;
  readonly detail?: Readonly<Record<string, unknown>>;
  /** The first turn of the batch that this one belongs to; `'first'`: it is the first. Without it nobody can undo the turn. */
  readonly batch?: string;
};

const insertTurn = compileWith<{
  id: string;
  fault: string;
  app: string;
  time: number;
  type: FaultTurnTable['type'];
  by: FaultTurnTable['by'];
  occurrence: string | null;
  detail_json: string;
  batch: string | null;
}>((db, value) =>
  db.insertInto('fault_turn').values({
    id: value('id'),
    fault: value('fault'),
    app: value('app'),
    time: value('time'),
    type: value('type'),
    by: value('by'),
    occurrence: value('occurrence'),
    detail_json: value('detail_json'),
    batch: value('batch'),
    undone: null,
  }),
);

/** One look at the end of an index. */
const selectLatest = compileOnce((db) => db.selectFrom('fault_turn').select('id').orderBy('id', 'desc').limit(1));

/** @returns its id */
export async function addTurn(trx: Kysely<Tables>, turn: Turn): Promise<string> {
  const { detail = {}, occurrence, batch, ...given } = turn;
  const [last] = await selectLatest(trx);
  const id = createTurnId(last?.id);
  await insertTurn(trx, {
    ...given,
    id,
    occurrence: occurrence ?? null,
    detail_json: JSON.stringify(detail),
    batch: batch === 'first' ? id : (batch ?? null),
  });
  return id;
}
