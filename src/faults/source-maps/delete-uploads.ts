import 'server-only';

import { requireOperator } from '#src/access/require-operator.ts';
import { openStore } from '#src/store/open-store.ts';

import { changeMaps } from './change-maps.ts';
import { deleteMaps } from './evict-maps.ts';

/** @param release one of them; undefined: all that was uploaded for the app */
export async function deleteUploads(app: string, release: string | undefined): Promise<void> {
  requireOperator();
  const store = await openStore();
  await changeMaps(() => deleteMaps(store, app, release));
}
