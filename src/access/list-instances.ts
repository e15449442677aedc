import 'server-only';

import { type Instance, readInstances } from '#src/store/instances.ts';
import { isShared } from '#src/store/lease.ts';
import { openStore } from '#src/store/open-store.ts';
import { instanceId } from '#src/store/share-store.ts';

import { requireOperator } from './require-operator.ts';

export type ListedInstance = Instance & { readonly isOwn: boolean };

/** All servers on this database, also those that are gone since some minutes. Empty where there can be only one. */
export async function listInstances(): Promise<readonly ListedInstance[]> {
  requireOperator();
  const store = await openStore();
  if (!isShared(store)) return [];
  return (await readInstances(store)).map((one) => ({ ...one, isOwn: one.id === instanceId }));
}
