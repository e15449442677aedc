import { vi } from 'vitest';

import { dataFolder } from '#src/store/data-folder.ts';
import type { Store } from '#src/store/open-store.ts';

import { databaseOf } from './databases.ts';

/**
 * Tests of the store run as they are: where they open the store of a folder, they get that of a database that stands for the folder.
 */
const stores = (globalThis.__FLIGHT_STORES__ ??= new Map<string, Promise<Store>>());

async function openIn(folder: string): Promise<Store> {
  const { openPostgresStore } = await import('#src/store/postgres/open-postgres-store.ts');
  return openPostgresStore(await databaseOf(folder), () => stores.delete(folder));
}

function openStore(folder: string = dataFolder()): Promise<Store> {
  const known = stores.get(folder);
  if (known) return known;
  const opening = openIn(folder);
  stores.set(folder, opening);
  opening.catch(() => stores.delete(folder));
  return opening;
}

vi.mock('#src/store/open-store.ts', async (load) => ({ ...(await load<object>()), openStore }));
