import 'server-only';

import { randomInt } from 'node:crypto';

import type { Insertable, Kysely } from 'kysely';

import type { FaultTable, Tables } from '#src/store/schema.ts';

import { writeFaultState } from './fault-state.ts';

/** As digests: no letter that is read as another. */
const idCharacters = '0123456789abcdefghjkmnpqrstvwxyz';
const idLength = 8;

function createFaultId(): string {
  return Array.from({ length: idLength }, () => idCharacters.charAt(randomInt(idCharacters.length))).join('');
}

type NewFault = Omit<Insertable<FaultTable>, 'id' | 'state' | 'state_json' | 'merged_into'>;

/** @returns its id */
export async function createFault(trx: Kysely<Tables>, fault: NewFault): Promise<string> {
  const id = createFaultId();
  await trx
    .insertInto('fault')
    .values({ ...fault, id, ...writeFaultState({ type: 'open' }), merged_into: null })
    .execute();
  return id;
}
