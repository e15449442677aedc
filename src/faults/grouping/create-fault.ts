import 'server-only';

import { randomInt } from 'node:crypto';

import type { Kysely, Selectable } from 'kysely';

import { compileWith } from '#src/store/compile-with.ts';
import type { FaultTable, Tables } from '#src/store/schema.ts';

import { writeFaultState } from './fault-state.ts';

/** As digests: no letter that is read as another. */
const idCharacters = '0123456789abcdefghjkmnpqrstvwxyz';
const idLength = 8;

function createFaultId(): string {
  return Array.from({ length: idLength }, () => idCharacters.charAt(randomInt(idCharacters.length))).join('');
}

type NewFault = Omit<
  Selectable<FaultTable>,
  'id' | 'state' | 'state_json' | 'merged_into' | 'count' | 'untrusted' | 'users'
>;

const insertFault = compileWith<NewFault & Pick<FaultTable, 'id'>>((db, value) =>
  db.insertInto('fault').values({
    ...writeFaultState({ type: 'open' }),
    id: value('id'),
    app: value('app'),
    side: value('side'),
    name: value('name'),
    message: value('message'),
    culprit: value('culprit'),
    level: value('level'),
    state_time: value('state_time'),
    unseen: value('unseen'),
    first_time: value('first_time'),
    last_time: value('last_time'),
    first_release: value('first_release'),
    last_release: value('last_release'),
    merged_into: null,
  }),
);

/** @returns its id */
export async function createFault(trx: Kysely<Tables>, fault: NewFault): Promise<string> {
  const id = createFaultId();
  await insertFault(trx, { ...fault, id });
  return id;
}
