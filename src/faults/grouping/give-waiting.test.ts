import { expect, it } from 'vitest';

import { openStore } from '#src/store/open-store.ts';

import { giveFaultsToWaiting } from './give-waiting.ts';
import { storeError, storeUntrusted, useStore } from './testing/use-store.ts';

useStore();

it('gives a fault to an untrusted error whose error was never understood', async () => {
  const { db } = await openStore();
  await storeError({ digest: 'd1' });
  await db.updateTable('event').where('side', '=', 'server').set({ fault: null, fingerprint: '' }).execute();
  const untrusted = await storeUntrusted({ digest: 'd1', message: 'x is null' });
  expect(untrusted.fault).toBeNull();
  expect(await giveFaultsToWaiting(await openStore())).toBe(0);
  expect(await db.selectFrom('event').where('side', '=', 'browser').select('fault').execute()).toEqual([
    { fault: null },
  ]);
  await db.deleteFrom('event').where('side', '=', 'server').execute();
  expect(await giveFaultsToWaiting(await openStore())).toBe(1);
  expect(
    await db
      .selectFrom('event')
      .where('side', '=', 'browser')
      .select(['waits'])
      .where('fault', 'is not', null)
      .execute(),
  ).toEqual([{ waits: 1 }]);
});
